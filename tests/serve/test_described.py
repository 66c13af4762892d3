"""The description of the service names the columns of the file that is served."""

from onoma.serve.described import CONDITION


def test_a_record_has_a_value_that_is_compared(reader):
    whole = reader.get("/openapi.json").json()
    schemas = whole["components"]["schemas"]
    record = schemas["Record"]
    assert {"surname", "birth_date", "city"} <= set(record["properties"])
    assert "cluster_id" not in record["properties"]
    assert sorted(each["required"][0] for each in record["anyOf"]) == sorted(record["properties"])
    ref = {"$ref": "#/components/schemas/Record"}
    assert schemas["FindOne"]["properties"]["record"] == schemas["AddOne"]["properties"]["record"] == ref
    assert schemas["FindMany"]["properties"]["records"]["items"] == ref


def test_a_condition_is_said_to_be_one(reader):
    where = reader.get("/openapi.json").json()["paths"]["/api/count"]["get"]["parameters"][0]
    assert where["name"] == "where"
    assert CONDITION in str(where["schema"])
