"""Writing CoNLL-2012: other chains on the same text, and text that came from elsewhere."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.corpus.corpus import Corpus
from onoma.corpus.readers.conll2012 import read_conll2012
from onoma.corpus.readers.conllu import read_conllu
from onoma.corpus.writers.conll2012 import write_conll2012
from onoma.corpus.writers.conllu import write_conllu
from onoma.errors import DataError

KEY = "#begin document (d); part 000\n" + "".join(f"d  0  {i}  w{i}    _\n" for i in range(6)) + "\n#end document\n"


def corpus_of(spans: list[tuple[int, int, str]], n_tokens: int = 6) -> Corpus:
    return Corpus.build(
        pa.table({"document": ["d"], "part": [0], "n_sentences": [1], "n_tokens": [n_tokens]}),
        pa.table(
            {
                "document": ["d"] * n_tokens,
                "part": [0] * n_tokens,
                "sentence": [0] * n_tokens,
                "token": range(n_tokens),
                "word": [f"w{i}" for i in range(n_tokens)],
            }
        ),
        *tables_of(spans),
    )


def tables_of(spans: list[tuple[int, int, str]]) -> tuple[pa.Table, pa.Table]:
    ids = pa.array([str(i) for i in range(len(spans))], pa.string())
    starts, ends, chains = ([span[i] for span in spans] for i in range(3))
    mentions = {"id": ids, "document": ["d"] * len(spans), "part": [0] * len(spans), "start": starts, "end": ends}
    return pa.table(mentions), pa.table({"mention": ids, "chain": pa.array(chains, pa.string())})


def spans_of(corpus: Corpus) -> list[tuple[int, int, str]]:
    table = corpus.mentions_with_chains()
    return sorted(zip(*(table[name].to_pylist() for name in ("start", "end", "chain")), strict=True))


@st.composite
def nested_spans(draw: st.DrawFn) -> list[tuple[int, int, str]]:
    """Spans of which no two of one chain cross; they may touch, nest, repeat."""
    spans: list[tuple[int, int, str]] = []
    for _ in range(draw(st.integers(0, 8))):
        start = draw(st.integers(0, 5))
        end = draw(st.integers(start + 1, 6))
        chain = draw(st.sampled_from("12"))
        crossing = any(chain == c and (a < start < b - 1 < end - 1 or start < a < end - 1 < b - 1) for a, b, c in spans)
        if not crossing:
            spans.append((start, end, chain))
    return spans


@settings(max_examples=150, deadline=None)
@given(spans=nested_spans())
def test_what_is_written_is_read(spans: list[tuple[int, int, str]], tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("t")
    corpus = corpus_of(spans)
    write_conll2012(corpus, folder / "x.conll")
    write_conllu(corpus, folder / "x.conllu")
    again = read_conll2012(folder / "x.conll")
    assert spans_of(again) == spans_of(corpus) == spans_of(read_conllu(folder / "x.conllu"))
    (folder / "key.conll").write_text(KEY)
    mentions, chains = tables_of(spans)
    write_conll2012(read_conll2012(folder / "key.conll").with_chains(chains, mentions), folder / "y.conll")
    assert spans_of(read_conll2012(folder / "y.conll")) == spans_of(corpus)


def test_only_changed_cells_change(tmp_path: Path):
    path = tmp_path / "x.conll"
    path.write_text(KEY.replace("w2    _", "w2    2)|(1)").replace("w1    _", "w1    (2"))
    corpus = read_conll2012(path)
    mentions, chains = tables_of([(1, 3, "2"), (2, 3, "1"), (5, 6, "2")])
    write_conll2012(corpus.with_chains(chains, mentions), path)
    assert path.read_text() == KEY.replace("w2    _", "w2    2)|(1)").replace("w1    _", "w1    (2").replace(
        "w5    _", "w5    (2)"
    )
    write_conll2012(corpus.with_chains(*reversed(tables_of([]))), path)
    assert path.read_text() == KEY


def test_twelve_columns_for_a_corpus_from_elsewhere(tmp_path: Path):
    write_conll2012(corpus_of([(0, 2, "9"), (1, 2, "8")], n_tokens=2), tmp_path / "x.conll")
    assert (tmp_path / "x.conll").read_text() == (
        "#begin document (d); part 000\n"
        "d\t0\t0\tw0\t-\t-\t-\t-\t-\t-\t*\t(9\n"
        "d\t0\t1\tw1\t-\t-\t-\t-\t-\t-\t*\t9)|(8)\n"
        "\n#end document\n"
    )


def test_crossing_mentions_of_one_chain_are_refused(tmp_path: Path):
    path = tmp_path / "x.conll"
    path.write_text("before")
    with pytest.raises(DataError, match=r"the mentions 0–3 and 1–4 of chain '1' cross"):
        write_conll2012(corpus_of([(0, 3, "1"), (1, 4, "1")]), path)
    assert path.read_text() == "before"
    write_conll2012(corpus_of([(0, 3, "1"), (1, 4, "2")]), path)


@pytest.mark.parametrize("span", [(3, 3, "1"), (4, 2, "1"), (-1, 2, "1"), (5, 7, "1")])
def test_a_mention_outside_the_document_is_refused(span: tuple[int, int, str], tmp_path: Path):
    with pytest.raises(DataError, match="does not fit"):
        write_conll2012(corpus_of([span]), tmp_path / "x.conll")


def test_tables_that_do_not_fit_together_are_refused(tmp_path: Path):
    corpus = corpus_of([(0, 1, "1")])
    stray = pa.table({"mention": ["0", "x"], "chain": ["1", "1"]})
    twice = pa.table({"mention": ["0", "0"], "chain": ["1", "2"]})
    elsewhere = corpus.mentions.set_column(1, "document", pa.array(["e"]))
    for wrong, says in (
        (corpus.with_chains(stray), "names the mention 'x'"),
        (corpus.with_chains(twice), "mention '0' stands in two rows"),
        (corpus.with_chains(corpus.chains, elsewhere), "document 'e' part 0, which is not in the documents"),
        (replace(corpus, tokens=corpus.tokens.slice(1)), "should have 6 tokens"),
        (replace(corpus, documents=pa.concat_tables([corpus.documents] * 2)), "two rows for one document"),
    ):
        with pytest.raises(DataError, match=says):
            write_conll2012(wrong, tmp_path / "x.conll")


def test_a_word_with_a_tab_is_refused(tmp_path: Path):
    corpus = corpus_of([])
    tokens = corpus.tokens.set_column(4, "word", pa.array(["a\tb"] * 6))
    with pytest.raises(DataError, match="no tab or line end"):
        write_conll2012(replace(corpus, tokens=tokens), tmp_path / "x.conll")
