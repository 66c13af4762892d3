"""Training of correctors: n-grams of any text, and the corrector that comes with Onoma.

The corrector is made in stages, each kept in the output folder, so that a run that was broken off goes on where it was:
`ngrams` (native text), `words.npz` and `forms.npz` (native text and open lexicons), `native.npy` (choices of native
text), weights of edits (artificial learners; or annotated essays, which adapt them), thresholds (annotated essays).
Sentences that artificial learners write on are left out of the n-grams and of the native choices.
"""

import csv
import lzma
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.edits import EditedSentence
from onoma.corpus.readers.m2 import read_m2
from onoma.corpus.readers.source import read_text
from onoma.corpus.readers.texts import find_files, read_texts
from onoma.correct.artificial import corrected, count_slips, make_mistakes
from onoma.correct.calibration import AS_LEARNT, Calibration, fit_calibration
from onoma.correct.candidates import Proposals
from onoma.correct.corrector import Corrector
from onoma.correct.forms import Forms, make_forms
from onoma.correct.gold import right_rows
from onoma.correct.lists import TYPES
from onoma.correct.model import Weigher, encode
from onoma.correct.native import native_examples
from onoma.correct.ngrams import Ngrams, count_ngrams, load_ngrams
from onoma.correct.packed import save_packed
from onoma.correct.spelling import load_speller, make_speller, save_speller
from onoma.correct.words import cut_words, fold_all
from onoma.correct.writers import BANDS, Writers, measure_writers, shares
from onoma.errors import DataError
from onoma.learning.hashed import CandidateRows, HashedMaxEnt, score_rows, softmax_groups
from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress
from onoma.text.annotate import Annotator
from onoma.text.tokens import Tokens

__all__ = [
    "EDIT_BITS",
    "adapt",
    "native_sentences",
    "precision_thresholds",
    "tag_words",
    "train_corrector",
    "train_ngrams",
]

EDIT_BITS, NATIVE_BITS = 20, 22
HELD_OUT = "wiki-00"
"""The shard that n-grams and native choices never see: artificial learners write on it."""
_REVISED = ("official-preprocessed", "combined.5types")
"""The essays' later annotations: an edit that any of them asks for is right."""
_NATIVE, _WEIGHTS = "native.npy", "edits.npy"
"""Stages of a run that is not done."""
_NOBODY = Writers((1.0,) * len(BANDS), (1.0,) * len(BANDS))
_BEHIND, _CAREFUL = 60_000, 3_000
"""Of the held-out shard, which sentences say what practised writers' text is like."""
_PART = 2_000
_LONGEST = 60


def train_ngrams(
    inputs: Sequence[str],
    output: Path,
    *,
    order: int = 5,
    min_word_count: int = 2,
    min_counts: Sequence[int] = (),
    progress: Progress = SILENT,
) -> Ngrams:
    """Count the n-grams of text files; of those whose names say `.lines` every line is a sentence already."""
    files = find_files(inputs)
    if not files:
        raise DataError("there is no text to count: no file was named")
    sentences = _sentences_of(files)
    found = count_ngrams(
        sentences, order=order, min_word_count=min_word_count, min_counts=min_counts, progress=progress
    )
    found.save(output)
    return found


def _sentences_of(files: Sequence[Path]) -> Iterator[list[str]]:
    for file in files:
        if ".lines" in file.suffixes:
            lines: Iterable[str] = read_text(file).split("\n")
        else:
            lines = (part for text in read_texts(file) for part in _split(Annotator.load(), text.text))
        for line in lines:
            if line.strip():
                yield fold_all([line[a:b] for a, b in cut_words(line)])


def _split(annotator: Annotator, text: str) -> Iterator[str]:
    tokens = annotator.tokenise(text)
    bounds = tokens.sentences.tolist()
    for a, b in pairwise(bounds):
        if b > a:
            yield text[int(tokens.starts[a]) : int(tokens.ends[b - 1])]


@dataclass(frozen=True)
class CorrectorTraining:
    """How much of the data is learnt from."""

    shards: tuple[str, ...] = ("wiki-01", "wiki-02", "wiki-03", "wiki-04", "wiki-05")
    order: int = 4
    min_word_count: int = 5
    min_counts: tuple[int, ...] = (1, 2, 2, 2)
    n_native: int = 160_000
    """Sentences whose choices are learnt."""
    n_artificial: int = 24_000
    """Sentences that artificial learners write: two thirds on Wikipedia, one on letters, talk and speeches."""
    n_epochs: int = 2
    rate: float = 0.1


def train_corrector(
    data: Path,
    output: Path,
    *,
    training: CorrectorTraining = CorrectorTraining(),  # noqa: B008 (frozen)
    seed: int = 0,
    progress: Progress = SILENT,
) -> Corrector:
    """Make the corrector that comes with Onoma, from a folder of data (docs/data.md)."""
    folder = data / "correction"
    if not folder.is_dir():
        raise DataError("holds no folder 'correction'", file=data, hint="See docs/data.md.")
    output.mkdir(parents=True, exist_ok=True)
    with progress.task("training a corrector", 5, "stages") as task:
        proposals = _proposals(folder, output, training)
        task.advance(1)
        ngrams = _ngrams(folder, output, training)
        task.advance(1)
        native = _native(folder, output, proposals, training, seed)
        task.advance(1)
        weigher = Weigher(proposals, ngrams, native, EDIT_BITS)
        essays = Essays.read(folder / "conll-2013/original/official-preprocessed.m2.xz")
        weights = _artificial(folder, output, weigher, essays, (training, seed))
        task.advance(1)
        others = [read_m2(folder / f"conll-2013/revised/{name}.m2.xz") for name in _REVISED]
        strict = essays.judged_by(others[:1]).describe(weigher).is_right
        calibration, thresholds = calibrate(essays.judged_by(others).describe(weigher), weights, strict)
        corrector = Corrector(weigher, weights, calibration, thresholds, _card(training), _NOBODY)
        corrector = replace(corrector, writers=writers_by(corrector, essays, _careful(folder)))
        corrector.save(output)
        save_packed(ngrams, output / "ngrams.npz")
        task.advance(1)
    for stage in (_NATIVE, _WEIGHTS):
        (output / stage).unlink(missing_ok=True)
    shutil.rmtree(output / "ngrams", ignore_errors=True)
    return corrector


def native_sentences(
    folder: Path, shards: Sequence[str], *, mixed: Literal["most", "rest", "none"] = "most"
) -> Iterator[list[str]]:
    """Yield the words of native sentences: MASC and speeches (most of them, or the rest), then shards of Wikipedia."""
    if mixed != "none":
        others = chain(_masc(folder / "native-mixed/masc.tagged.txt.xz"), _lines(folder / _SPEECHES))
        for k, words in enumerate(others):
            if (k % _EVERY == 0) == (mixed == "rest"):
                yield words
    for shard in shards:
        yield from _lines(folder / f"native-wikipedia/{shard}.txt.xz")


def _masc(path: Path) -> Iterator[list[str]]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("# "):
                words = (pair.rpartition("_")[0] for pair in line.split())
                yield [_BRACKETS.get(word, word) for word in words if word]


def _lines(path: Path) -> Iterator[list[str]]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            if line := line.strip():
                yield [line[a:b] for a, b in cut_words(line)]


_SPEECHES = "native-mixed/us-presidential-speeches.txt.xz"
_EVERY = 5
"""One in so many sentences of MASC and of the speeches is kept for artificial learners."""
_BRACKETS = {"``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]"}


def tag_words(sentences: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the Penn tags of sentences that are cut into words."""
    annotator = Annotator.load()
    names = annotator.tagger.xpos_names
    out: list[list[str]] = []
    for k in range(0, len(sentences), _PART):
        part = sentences[k : k + _PART]
        flat = iter(annotator.tag(Tokens.of_words(part)).xpos.tolist())
        out += [[names[next(flat)] for _ in words] for words in part]
    return out


@dataclass(frozen=True)
class Essays:
    """Annotated sentences with tags."""

    sentences: Sequence[EditedSentence]
    tags: Sequence[Sequence[str]]

    @classmethod
    def read(cls, path: Path) -> "Essays":
        """Read an M² file and tag it."""
        sentences = read_m2(path)
        return cls(sentences, tag_words([sentence.tokens for sentence in sentences]))

    def judged_by(self, others: Sequence[Sequence[EditedSentence]]) -> "Essays":
        """Return the same sentences with further annotations of them."""
        joined = []
        for sentence, *more in zip(self.sentences, *others, strict=True):
            if any(each.tokens != sentence.tokens for each in more):
                raise DataError("annotations of other sentences cannot be added")
            lists = [edits for each in (sentence, *more) for edits in each.annotators.values()]
            joined.append(EditedSentence(sentence.tokens, dict(enumerate(lists))))
        return Essays(joined, self.tags)

    def describe(self, weigher: Weigher) -> "DescribedEdits":
        """Return every edit that would be proposed, and which annotators asked for."""
        edits = weigher.describe(encode([each.tokens for each in self.sentences], self.tags, weigher.ngrams))
        chosen, right = right_rows(edits, self.sentences, weigher.proposals.actions)
        return DescribedEdits(edits.rows, edits.types, chosen, right, edits.sentence)


@dataclass(frozen=True)
class DescribedEdits:
    """Edits with their features and whether they are right."""

    rows: CandidateRows
    types: NDArray[np.int64]
    chosen: NDArray[np.int64]
    is_right: NDArray[np.bool_]
    sentence: NDArray[np.int64]

    @property
    def is_edit(self) -> NDArray[np.bool_]:
        """Which rows change something."""
        return self.types >= 0


def adapt(
    described: DescribedEdits,
    anchor: NDArray[np.float32] | None,
    *,
    rate: float = 0.1,
    n_epochs: int = 4,
    seed: int = 0,
) -> NDArray[np.float32]:
    """Learn weights of edits from annotated essays, beginning with those learnt elsewhere."""
    model = HashedMaxEnt(bits=EDIT_BITS, rate=rate, anchor=anchor, seed=seed)
    return model.partial_fit(described.rows, described.chosen, n_epochs=n_epochs).weights_


def precision_thresholds(p: NDArray[np.float64], right: NDArray[np.bool_], *, least: int = 20) -> dict[float, float]:
    """Return for each precision the least probability above which so many edits are right.

    Examples
    --------
    >>> precision_thresholds(np.array([0.9, 0.8, 0.7, 0.2]), np.array([True, True, False, False]), least=1)[0.6]
    0.7
    """
    order = np.argsort(-p)
    precision = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    # The share that is right from the most probable down to each, made monotone from the end.
    reached = np.maximum.accumulate(precision[least - 1 :][::-1])[::-1] if len(order) >= least else np.empty(0)
    ranked = p[order][least - 1 :]
    out = {}
    for level in np.arange(0.2, 0.91, 0.05):
        good = np.flatnonzero(reached >= level)
        out[round(float(level), 2)] = float(ranked[good[-1]]) if len(good) else 0.95
    return out


def _proposals(folder: Path, output: Path, training: CorrectorTraining) -> Proposals:
    words, forms = output / "words.npz", output / "forms.npz"
    if not (words.exists() and forms.exists()):
        speller = make_speller(native_sentences(folder, training.shards), dictionary(folder / "lexicon"))
        save_speller(speller, words)
        make_forms(folder / "lexicon", lambda word: speller.counts.get(word, 0)).save(forms)
    return Proposals(Forms.load(forms), load_speller(words))


def dictionary(folder: Path) -> Iterator[str]:
    """Yield the words of open lexicons: lemminflect, AGID and the American dictionary of hunspell."""
    for name, forms in (("lemminflect-lemma_lu.csv.xz", False), ("pyinflect-agid-infl.csv.xz", True)):
        with lzma.open(folder / name, "rt", encoding="utf-8", newline="") as file:
            for row in csv.reader(file):
                yield row[0]
                if forms:
                    yield from (form for cell in row[2:] for form in cell.split("/") if form.isalpha())
    with lzma.open(folder / "hunspell-en_US.dic.xz", "rt", encoding="utf-8") as words:
        for word in words:
            yield word.strip().partition("/")[0]


def _ngrams(folder: Path, output: Path, training: CorrectorTraining) -> Ngrams:
    place = output / "ngrams"
    if not (place / "model.json").exists():
        sentences = (fold_all(words) for words in native_sentences(folder, training.shards))
        found = count_ngrams(
            sentences, order=training.order, min_word_count=training.min_word_count, min_counts=training.min_counts
        )
        found.save(place)
    return load_ngrams(place)


def _native(
    folder: Path, output: Path, proposals: Proposals, training: CorrectorTraining, seed: int
) -> NDArray[np.float32]:
    place = output / _NATIVE
    if place.exists():
        return np.load(place, allow_pickle=False)
    model = HashedMaxEnt(bits=NATIVE_BITS, rate=0.15, seed=seed)
    none = count_ngrams([["a"]], order=1)
    short = (words for words in native_sentences(folder, training.shards) if 2 <= len(words) <= _LONGEST)
    wanted = islice(short, training.n_native)
    while part := list(islice(wanted, _PART)):
        examples = native_examples(encode(part, tag_words(part), none), proposals, NATIVE_BITS)
        model.partial_fit(examples.rows, examples.chosen)
    np.save(place, model.weights_)
    return model.weights_


def _held_out(folder: Path, n: int, seed: int) -> list[list[str]]:
    """Return sentences that nothing was counted on; those with *I* and *you* come from letters, talk and speeches."""
    groups = (native_sentences(folder, (), mixed="rest"), native_sentences(folder, (HELD_OUT,), mixed="none"))
    mixed, written = ((words for words in group if 2 <= len(words) <= _LONGEST) for group in groups)
    found = list(islice(mixed, n // 3))
    found += islice(written, n - len(found))
    return [found[k] for k in stream(seed, "held out").permutation(len(found)).tolist()]


def _careful(folder: Path) -> list[list[str]]:
    """Return sentences of the shard that nothing was counted on, behind those that artificial learners write on."""
    short = (words for words in native_sentences(folder, (HELD_OUT,), mixed="none") if 2 <= len(words) <= _LONGEST)
    return list(islice(short, _BEHIND, _BEHIND + _CAREFUL))


def _artificial(
    folder: Path, output: Path, weigher: Weigher, essays: "Essays", how: tuple[CorrectorTraining, int]
) -> NDArray[np.float32]:
    place = output / _WEIGHTS
    if place.exists():
        return np.load(place, allow_pickle=False)
    training, seed = how
    proposals = weigher.proposals
    mended = tag_words([corrected(sentence) for sentence in essays.sentences])
    rates = count_slips(essays.sentences, essays.tags, mended, proposals)
    native = _held_out(folder, training.n_artificial, seed)
    written = make_mistakes(native, tag_words(native), proposals, rates, seed=seed)
    tags = tag_words([sentence.tokens for sentence in written])
    model = HashedMaxEnt(bits=EDIT_BITS, rate=training.rate, seed=seed)
    for k in range(0, len(written), _PART // 2):
        part = Essays(written[k : k + _PART // 2], tags[k : k + _PART // 2]).describe(weigher)
        model.partial_fit(part.rows, part.chosen, n_epochs=training.n_epochs)
    np.save(place, model.weights_)
    return model.weights_


def writers_by(corrector: Corrector, essays: "Essays", careful: Sequence[Sequence[str]]) -> Writers:
    """Measure how doubtful essays and careful sentences are to a corrector.

    The essays calibrated it, by two numbers a type: held out, their edits have .0450 of a place, with them .0454.
    """
    return measure_writers(
        *(
            [
                (shares(corrector.probabilities(edits), edits), sum(map(len, part)))
                for k in range(0, len(sentences), _PART)
                for part, part_tags in [(sentences[k : k + _PART], tags[k : k + _PART])]
                for edits in [corrector.weigher.describe(encode(part, part_tags, corrector.weigher.ngrams))]
            ]
            for sentences, tags in (
                ([each.tokens for each in essays.sentences], essays.tags),
                (careful, tag_words(careful)),
            )
        )
    )


def calibrate(
    described: "DescribedEdits", weights: NDArray[np.float32], strict: NDArray[np.bool_], *, n_parts: int = 5
) -> tuple[Calibration, dict[float, float]]:
    """Calibrate scores on essays; return also thresholds by precision, of parts that their calibration did not see.

    An edit is probable where any annotation asks for it. A precision is promised by fewer judges (`strict`): where six
    annotations of an essay are joined, some of them asks for almost anything.
    """
    rows, types = described.rows, described.types
    scores = score_rows(rows.ptr, rows.ids, rows.values, weights)
    groups = rows.groups
    sizes = np.diff(groups)
    # Neighbouring sentences are of one essay, so parts are runs of sentences.
    part = described.sentence[groups[:-1]] * n_parts // (described.sentence.max() + 1)
    p = np.zeros(len(scores))
    for k in range(n_parts):
        learnt = np.flatnonzero(part != k)
        mine = np.repeat(part != k, sizes)
        begins = np.concatenate([[0], np.cumsum(sizes[learnt])])
        chosen = described.chosen[learnt] - groups[learnt] + begins[:-1]
        found = fit_calibration(scores[mine], types[mine], begins, chosen)
        p[~mine] = softmax_groups(found.apply(scores, types), groups)[~mine]
    told = described.is_edit & ~np.isin(types, [TYPES.index(name) for name in AS_LEARNT])
    thresholds = precision_thresholds(p[told], strict[told])
    return fit_calibration(scores, types, groups, described.chosen), thresholds


def _card(training: CorrectorTraining) -> dict[str, Any]:
    return {
        "task": "correction of English",
        "licence": "CC BY-SA 3.0 (counts of words of English Wikipedia)",
        "learnt_from": [
            f"English Wikipedia, spring 2015, {len(training.shards)} shards (CC BY-SA 3.0): n-grams, choices, words",
            "MASC (free), presidential speeches (public domain), "
            f"{_EVERY - 1} of {_EVERY} sentences: n-grams, choices, words",
            "another shard and the other sentences: artificial slips",
            "lemminflect (MIT), AGID and hunspell en_US (SCOWL's notice), WordNet 3.0: forms and words",
            "CoNLL-2013 essays: rates of slips, two numbers a type (calibration) and the thresholds; no sentence",
        ],
        "trained_on": f"{training.n_native:,} native sentences and {training.n_artificial:,} with artificial slips",
        "command": "onoma train correct $ONOMA_DATA -o FOLDER",
    }
