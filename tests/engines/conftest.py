"""One Spark cluster for all tests of the room."""

import importlib.util
import shutil

import pytest


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    if importlib.util.find_spec("pyspark") is None:
        pytest.skip("needs pyspark: pip install 'onoma[spark]'")
    if shutil.which("java") is None:
        pytest.skip("needs Java on the PATH")
    from reference.spark_cluster import Cluster

    found = Cluster(tmp_path_factory.mktemp("cluster"))
    yield found
    found.stop()


@pytest.fixture(scope="session")
def spark(cluster):
    from onoma.engines.spark import SparkEngine
    from reference.spark_cluster import OPTIONS

    # No more than this may reach the driver from all tasks of a job, or Spark ends it.
    with SparkEngine(cluster.master, options=OPTIONS | {"spark.driver.maxResultSize": "1m"}, timeout=120) as engine:
        yield engine
