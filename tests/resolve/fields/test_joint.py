import numpy as np
import pyarrow as pa

from onoma.resolve.fields.columns import read_texts
from onoma.resolve.fields.elements import JOINT
from onoma.resolve.fields.joint import find_points, join_points, without_own_name


def column(values, name="x"):
    return read_texts(pa.chunked_array([pa.array(values)]), name)


def test_latitudes_find_their_longitudes():
    assert find_points(["latitude", "x", "Longitude"]) == [("latitude", "Longitude")]
    assert find_points(["home_lat", "work_lon"]) == []
    assert find_points(["lat"]) == []


def test_points_are_joined_where_they_are_on_the_globe():
    points = join_points(column([51.5, None, 48.0], "lat"), column([-0.1, 2.0, 2.35], "lon"))
    assert points.name == "lat + lon"
    assert points.columns == ("lat", "lon")
    assert [points.raw[i] if i >= 0 else None for i in points.codes] == ["51.5, -0.1", None, "48, 2.35"]
    assert join_points(column([500.0, 600.0]), column([1.0, 2.0])) is None
    assert join_points(column(["", None]), column(["1", "2"])) is None


def test_the_own_name_leaves_the_list():
    lists = column(["Ann Lee, Bo Wu", "Ann Lee", "Cy Ng, Ann Lee", "Di Xu, Bo Wu", None])
    names = column(["Ann Lee", "Ann Lee", "Lee, Ann", None, "Ann Lee"])
    left = without_own_name(lists, names)
    assert [left.raw[i] if i >= 0 else None for i in left.codes] == ["bo wu", "", "cy ng", f"di xu{JOINT}bo wu", None]
    assert left.codes.dtype == np.int32


def test_a_name_that_is_seldom_in_the_list_stays():
    assert without_own_name(column(["a b, c d", "e f", "g h"]), column(["a b", "x y", "z z"])) is None
    assert without_own_name(column([None, None]), column(["a", "b"])) is None
