"""A Spark standalone cluster on loopback: a master and workers, each a process of its own."""

import importlib.util
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

TESTS = Path(__file__).parents[1]
LEAN = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
OPTIONS = {
    "spark.driver.memory": "512m",
    "spark.driver.extraJavaOptions": LEAN,
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
    "spark.cores.max": "2",
    "spark.executor.extraJavaOptions": LEAN,
    "spark.executorEnv.PYTHONPATH": str(TESTS),
    "spark.executorEnv.OPENBLAS_NUM_THREADS": "1",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "70",
}
"""A small driver and small executors, which find the toy steps, and are handed rows in many small batches."""


class Cluster:
    """A master and two workers, each with room for executors of two drivers."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = _free_port()
        self.master = f"spark://127.0.0.1:{self._port}"
        self._master = self._start("master.Master", "--port", str(self._port))
        self._await("master.log", "New state: ALIVE")
        self.workers: list[subprocess.Popen[bytes]] = []
        for _ in range(2):
            self.add_worker()
        for number in range(2):
            self._await(f"worker-{number}.log", "Successfully registered")

    def add_worker(self) -> None:
        number = len(self.workers)
        size = ("--cores", "2", "--memory", "1200m", "--work-dir", str(self._folder / f"work-{number}"))
        self.workers.append(self._start("worker.Worker", *size, self.master, log=f"worker-{number}.log"))

    def stop(self) -> None:
        for process in [*self.workers, self._master]:
            process.kill()
            process.wait(30)

    def _start(self, name: str, *arguments: str, log: str = "master.log") -> subprocess.Popen[bytes]:
        home = Path(importlib.util.find_spec("pyspark").origin).parent
        command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", "--host", "127.0.0.1"]
        pages = ["--webui-port", "0"]
        environment = {"SPARK_HOME": str(home), "SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": LEAN}
        environment |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
        with (self._folder / log).open("wb") as output:
            return subprocess.Popen(
                [*command, *pages, *arguments], env=os.environ | environment, stdout=output, stderr=output
            )

    def _await(self, log: str, sign: str) -> None:
        begun = time.monotonic()
        while sign not in (self._folder / log).read_text():
            if time.monotonic() - begun > 120:
                self.stop()
                raise TimeoutError((self._folder / log).read_text()[-2000:])
            time.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
