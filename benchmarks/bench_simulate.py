"""Simulated corpora: rows a second beside Faker row by row, and the large bibliography from nothing to Parquet."""

from collections.abc import Callable, Iterator

import pyarrow as pa
from faker import Faker

from benchmarks.measure import Measurement, in_fresh_process, seconds
from onoma.corpus.simulate import simulate_authors, simulate_mentions, simulate_people, statistics

TO_PARQUET = """
import json, tempfile, time
from pathlib import Path
import pyarrow.parquet as pq
from onoma.corpus.simulate import author_batches
start = time.perf_counter()
with tempfile.TemporaryDirectory() as folder:
    batches = author_batches({n}, seed=0)
    first = next(batches)
    with pq.ParquetWriter(Path(folder) / "authors.parquet", first.schema, compression="zstd") as writer:
        writer.write_batch(first)
        for batch in batches:
            writer.write_batch(batch)
print(json.dumps({{"work": time.perf_counter() - start}}))
"""


def run(*, quick: bool) -> Iterator[Measurement]:
    n = 20_000 if quick else 1_000_000
    peer = _faker_people(200 if quick else 5_000)
    for name, simulate, peer_rate in (
        ("people", simulate_people, peer),
        ("authors", simulate_authors, None),
        ("mentions", simulate_mentions, None),
    ):
        yield _rate(name, simulate, n, peer_rate)
    table = simulate_authors(n, seed=0)
    took = seconds(lambda: statistics(table, "authors"), repeat=1, warm=False)
    yield Measurement("simulate/statistics", took, None, None, "s", f"authors, {n:,} rows")
    large = 50_000 if quick else 5_800_000
    fresh = in_fresh_process(TO_PARQUET.format(n=large))
    data = f"authors, {large:,} rows, new process, to Parquet"
    yield Measurement("simulate/authors to Parquet", fresh["work"], None, None, "s", data)
    yield Measurement("simulate/authors to Parquet, peak memory", fresh["peak_mb"], None, None, "MB", data)


def _rate(name: str, simulate: Callable[..., pa.Table], n: int, peer: float | None) -> Measurement:
    rate = n / seconds(lambda: simulate(n, seed=0), repeat=1)
    return Measurement(
        name=f"simulate/{name}",
        onoma=rate,
        peer=peer,
        ratio=None if peer is None else rate / peer,
        unit="rows/s",
        data=f"{n:,} rows, default dials",
        peer_name="" if peer is None else "Faker, one call a field, no duplicates, no errors",
    )


def _faker_people(n: int) -> float:
    """Return how many clean people Faker makes in a second."""
    fake = Faker("en_US")
    fields = (
        fake.first_name,
        fake.first_name,
        fake.last_name,
        fake.date_of_birth,
        fake.street_address,
        fake.city,
        fake.state_abbr,
        fake.postcode,
        fake.phone_number,
        fake.email,
    )
    return n / seconds(lambda: [[field() for field in fields] for _ in range(n)], repeat=1)
