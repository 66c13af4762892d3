from onoma.mcmc.trace import TRACE, Trace


def test_rows_survive_as_array_and_table():
    trace = Trace()
    trace.add(0, 10, 1.0, -3.5, -2.0, 100, 20, 5, 0.25)
    again = Trace(trace.array())
    assert len(again) == 1
    assert again.table().equals(trace.table())
    assert trace.table().column_names == list(TRACE.names)
    assert trace.table()["n_factors"].to_pylist() == [100]


def test_no_rows_are_an_empty_table():
    assert Trace().table().num_rows == 0
