import numpy as np
import pyarrow as pa
import pytest

from onoma.resolve.config import ResolveConfig
from onoma.resolve.fields import prepare_fields
from onoma.resolve.types.finding import find_types, may_have_types


@pytest.mark.parametrize(
    "said", [{"one_type": True}, {"labels": "x"}, {"block": "x"}, {"partitions": 2}, {"block_on": ("l.a = r.a",)}]
)
def test_where_people_say_how_rows_go_together_none_are_looked_for(said):
    assert may_have_types(ResolveConfig())
    assert not may_have_types(ResolveConfig(**said))


def test_types_that_share_evidence_are_one():
    rng = np.random.default_rng(0)
    words = ["ash", "birch", "cedar", "elm", "fir", "oak", "pine", "yew"]
    names = [" ".join(each) for each in rng.choice(words, (600, 3)).tolist()]
    kind = np.arange(600) % 3
    columns = {f"c{k}": [str(i * 7919 % 1000) if kind[i] == k else None for i in range(600)] for k in range(3)}
    shown = [name if kind[i] < 2 else None for i, name in enumerate(names)]
    table = pa.table({"name": shown} | columns)

    def part_of(rows):
        return prepare_fields(table.take(pa.array(rows)), kinds={f"c{k}": "code" for k in range(3)})

    found = find_types(table, None, part_of, lambda part: part.fields)
    assert [len(kind.rows) for kind, _ in found] == [400, 200]
    assert [kind.own for kind, _ in found] == [("name", "c0", "c1"), ("c2",)]
    assert find_types(table, kind.astype(np.int32), part_of, lambda part: part.fields) == []
