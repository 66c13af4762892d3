"""Rows of the small knowledge base as they are asked about."""

import pytest


@pytest.fixture
def rows_of(crowd):
    """Return some rows of the crowd, without their truth and without what is missing."""

    def rows(first, last):
        return [
            {name: value for name, value in row.items() if name != "cluster_id" and value is not None}
            for row in crowd.slice(first, last - first).to_pylist()
        ]

    return rows
