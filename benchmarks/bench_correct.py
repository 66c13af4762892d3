"""Correction: sentences a second from raw text, loading, memory; false alarms where text has few slips; the scorer.

Text is native (a shard of Wikipedia that no part of the model saw but artificial learners' slips), web pages with few
slips (CWEB) and short essays (JFLEG); all need ONOMA_DATA. Rates are per second of processor time on one core.
"""

import importlib.util
import lzma
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from benchmarks.measure import Measurement, in_fresh_process, seconds
from onoma.corpus.edits import Edit, EditedSentence, apply_edits
from onoma.corpus.readers.m2 import read_m2
from onoma.correct.corrector import MODEL
from onoma.evaluate.gleu import gleu
from onoma.evaluate.max_match import EditScore, max_match
from onoma.pipeline.text.correction import TextCorrector

_LOAD = """
import json, time
start = time.process_time()
from onoma.pipeline.text.correction import TextCorrector
corrector = TextCorrector()
corrector.correct("He have two cat.")
print(json.dumps({"load": time.process_time() - start}))
"""
_WORK = """
from onoma.pipeline.text.correction import TextCorrector
TextCorrector().correct("He have two cat, and she go to the school every days with his friend. " * 2000)
"""
_UNSEEN = 100_000
"""Sentences of the shard that artificial learners may have written on."""


def run(*, quick: bool) -> Iterator[Measurement]:
    data = os.environ.get("ONOMA_DATA")
    if data is None:
        raise SystemExit("this benchmark needs ONOMA_DATA")
    folder = Path(data) / "correction"
    corrector = TextCorrector()
    size = sum(path.stat().st_size for path in MODEL.rglob("*") if path.is_file()) / 1e6
    yield Measurement("the model that is shipped", size, None, None, "MB", "on disk")
    native = _native(folder, 300 if quick else 3_000)
    text = "\n".join(native)
    clock = time.process_time
    rate = len(native) / seconds(lambda: corrector.correct(text), repeat=1 if quick else 3, clock=clock)
    yield Measurement("raw text to edits", rate, None, None, "sentences/s", f"{len(native):,} sentences, one core")
    yield Measurement("loading, first edit", in_fresh_process(_LOAD)["load"], None, None, "s", "processor time")
    memory = in_fresh_process(_WORK)["peak_mb"]
    yield Measurement("peak memory", memory, None, None, "MB", "fresh process, libraries included")
    words = sum(len(line.split()) for line in native)
    alarms = 2_000 * len(corrector.correct(text).edits) / words
    yield Measurement("edits of native text", alarms, None, None, "a 2,000 words", f"Wikipedia, {words:,} words")
    part = "dev" if quick else "test"
    for name in ("G", "S"):
        sentences = read_m2(folder / f"cweb/CWEB-{name}.{part}.m2.xz")[: 200 if quick else None]
        score, _ = max_match(sentences, _corrected(corrector, [each.tokens for each in sentences]))
        n = sum(len(each.tokens) for each in sentences)
        said = f"CWEB-{name} {part}, {n:,} words; precision {score.precision:.3f}, recall {score.recall:.3f}"
        false = 1_000 * (score.proposed - score.correct) / n
        yield Measurement("edits that nobody asked for", false, None, None, "a 1,000 words", said)
    yield from _jfleg(folder / "jfleg", "dev" if quick else "test")
    yield from _scorer(folder, quick=quick)


def _native(folder: Path, n: int) -> list[str]:
    with lzma.open(folder / "native-wikipedia/wiki-00.txt.xz", "rt", encoding="utf-8") as file:
        lines = (line.strip() for line in file if line.strip())
        return list(islice(lines, _UNSEEN, _UNSEEN + n))


def _corrected(corrector: TextCorrector, sentences: list[tuple[str, ...]]) -> list[list[str]]:
    found = corrector.correct_words(sentences)
    return [
        apply_edits(words, [Edit(each.start, each.end, (" ".join(each.put),)) for each in some])
        for words, some in zip(sentences, found, strict=True)
    ]


def _jfleg(folder: Path, part: str) -> Iterator[Measurement]:
    def lines(name: str) -> list[list[str]]:
        with lzma.open(folder / part / f"{part}.{name}.xz", "rt", encoding="utf-8") as file:
            return [line.split() for line in file]

    source = lines("src")
    references = list(zip(*(lines(f"ref{k}") for k in range(4)), strict=True))
    base = 100 * gleu(source, source, references)
    for precision in (0.5,):  # better than 0.4 on the development part (43.3 and 42.9)
        own = TextCorrector(precision=precision)
        ours = 100 * gleu(source, _corrected(own, [tuple(words) for words in source]), references)
        said = f"JFLEG {part}; the peer is the text as it was"
        yield Measurement(f"GLEU, precision {precision}", ours, base, ours / base, "%", said, peer_name="source")


_REFERENCE = "ONOMA_M2SCORER"
"""Names a folder with the reference scorer's `levenshtein.py` (nusnlp/m2scorer, `scripts/`); without it, no ratio."""
_RACED, _LONGEST = 100, 40
"""Of each submission so many sentences, those of at most so many words before and after: the reference's time grows
with the third power of a sentence's changes, and one sentence of NTHU's takes it minutes."""


def _scorer(folder: Path, *, quick: bool) -> Iterator[Measurement]:
    gold = read_m2(folder / "conll-2014/noalt/official-2014.combined.m2.xz")
    outputs = sorted((folder / "conll-2014-submissions/outputs").glob("*.txt.xz"))
    texts = {path.name.partition(".")[0]: _tokens(path)[: len(gold)] for path in outputs}
    clock = time.process_time
    rate = len(gold) / seconds(lambda: max_match(gold, texts["CUUI"]), repeat=1, warm=False, clock=clock)
    yield Measurement("M² of CUUI", rate, None, None, "sentences/s", "CoNLL-2014, two annotators; processor time")
    if _REFERENCE not in os.environ:
        return
    raced = [
        [
            (sentence, text[k])
            for k, sentence in enumerate(gold[:_RACED])
            if max(len(sentence.tokens), len(text[k])) <= _LONGEST
        ]
        for name, text in texts.items()
        if not quick or name in ("CUUI", "INPUT")
    ]
    ours = seconds(
        lambda: [_f(max_match(*zip(*some, strict=True))[0]) for some in raced], repeat=1, warm=False, clock=clock
    )
    reference = _reference(os.environ[_REFERENCE])
    theirs = seconds(lambda: [reference(some) for some in raced], repeat=1, warm=False, clock=clock)
    n = sum(map(len, raced))
    said = (
        f"{len(raced)} submissions, {n:,} sentences of at most {_LONGEST} words; the peer is nusnlp/m2scorer's "
        "levenshtein.py (Python 3), same sentences, same process, the same scores"
    )
    for some in raced:
        if abs(reference(some) - _f(max_match(*zip(*some, strict=True))[0])) > 1e-9:
            raise SystemExit("the reference scorer gives another F0.5")
    yield Measurement("M²", n / ours, n / theirs, theirs / ours, "sentences/s", said, peer_name="m2scorer")


def _tokens(path: Path) -> list[list[str]]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return [line.split() for line in file]


def _f(score: EditScore) -> float:
    return score.f(0.5) if score.correct else 0.0


def _reference(folder: str) -> Callable[[Sequence[tuple[EditedSentence, list[str]]]], float]:
    """Return F0.5 by the reference scorer, which is read from a folder and is no part of Onoma."""
    spec = importlib.util.spec_from_file_location("m2_reference", Path(folder) / "levenshtein.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"{folder} holds no levenshtein.py")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, folder)  # it imports its neighbours
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)

    def score(pairs: Sequence[tuple[EditedSentence, list[str]]]) -> float:
        wanted = [
            {
                who: [(e.start, e.end, " ".join(each.tokens[e.start : e.end]), list(e.corrections)) for e in edits]
                for who, edits in each.annotators.items()
            }
            or {0: []}
            for each, _ in pairs
        ]
        sources, texts = (
            [" ".join(words) for words in some] for some in ([s.tokens for s, _ in pairs], [t for _, t in pairs])
        )
        return float(module.batch_multi_pre_rec_f1(texts, sources, wanted)[2])

    return score
