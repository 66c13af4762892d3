import numpy as np
import pyarrow as pa

from onoma.resolve.fields import prepare_fields
from onoma.resolve.types.side import side_by_side


def test_values_of_two_types_stand_side_by_side():
    one = prepare_fields(pa.table({"name": ["Ann Lee", "Anne Lee", "Bob Ray"]}), kinds={"name": "person"}).fields[0]
    other = prepare_fields(pa.table({"name": ["Red Mill", "Old Mill"]}), kinds={"name": "organisation"}).fields[0]
    rows = np.array([0, 2, 4]), np.array([1, 3])
    found = side_by_side(5, [("type 1", rows[0], one), ("type 2", rows[1], other)])
    assert [found.values[code] for code in found.codes] == [
        value for pair in zip([*one.values], [*other.values, None], strict=True) for value in pair if value
    ]
    assert found.kind == "person" and "type 2: organisation" in found.reason
    assert found.counts.tolist() == [1] * 5
    codes = np.array([0, 0], np.int32), np.array([1, 3], np.int32)
    same, apart = found.compare(*codes).tolist()
    assert same == one.compare(codes[0][:1], codes[1][:1])[0] and apart == len(found.levels) - 1
    features = found.features()
    assert len(features.offsets) == 6 and features.offsets[-1] == len(features.ids)
    assert len(features) == len(one.features()) + len(other.features()) == len(features.texts)
