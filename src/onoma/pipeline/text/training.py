"""Training text models: from the data folder as they ship, or from files of one's own; with held-out scores."""

import shutil
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from onoma.corpus.documents import Annotations
from onoma.corpus.readers.annotations import read_annotations
from onoma.corpus.readers.texts import find_files
from onoma.errors import DataError, SettingsError
from onoma.pipeline.text.cards import write_cards
from onoma.pipeline.text.name_sets import spans_of
from onoma.pipeline.text.name_training import attribute_lists, score_spans, train_kinds, train_names
from onoma.progress import SILENT, Progress
from onoma.text.annotate import MODELS, Annotator
from onoma.text.documents.registry import Card, write_card
from onoma.text.names.tagger import NAME_TYPES, LabelledSentences, NameTagger, learn_names
from onoma.text.syntax.treebank import Treebank, join_treebanks, read_treebank
from onoma.text.tokens import Tokens

__all__ = ["TASKS", "TrainingReport", "train"]

TASKS = ("tagger", "parser", "names", "all")


@dataclass(frozen=True)
class TrainingReport:
    """What was trained: sentences learnt from and held out, and scores on the latter."""

    task: str
    n_learnt: int
    n_held_out: int
    scores: dict[str, float]


def train(
    task: str, inputs: Sequence[str | Path], output: Path, *, seed: int = 0, progress: Progress = SILENT
) -> TrainingReport:
    """Train one model, and leave a whole folder of models: the new one among those that come with Onoma.

    Parameters
    ----------
    task
        tagger, parser, names, or all.
    inputs
        The data folder (docs/data.md), for the models as they ship; or files: CoNLL-U, and for names also annotated
        JSON Lines, brat, DocBin, or two columns of words and BIO labels (`.bio`). One document in ten is held out.
    output
        The folder to make.
    seed
        Of every shuffle.
    progress
        Shows the steps.
    """
    if task not in TASKS:
        raise SettingsError(f"there is no task {task!r}; there are {', '.join(TASKS)}")
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise DataError("exists and is not an empty folder", file=output, hint="Name another place for the models.")
    root = _data_folder(inputs)
    if root is not None:
        return _as_shipped(task, root, output, seed, progress)
    if task == "all":
        raise SettingsError("all models are trained from the data folder", hint="Name the folder of docs/data.md.")
    if task == "names":
        return _own_names(inputs, output, seed, progress)
    return _own_treebank(task, inputs, output, seed, progress)


def _data_folder(inputs: Sequence[str | Path]) -> Path | None:
    path = Path(inputs[0]) if len(inputs) == 1 else None
    return path if path is not None and (path / "text" / "wikigold").is_dir() else None


def _started(output: Path) -> None:
    """Begin with the models that come with Onoma."""
    shutil.copytree(MODELS, output, dirs_exist_ok=True)


def _as_shipped(task: str, root: Path, output: Path, seed: int, progress: Progress) -> TrainingReport:
    from onoma.text.training import train_all

    _started(output)
    if task in ("tagger", "parser", "all"):
        train_all(root, seed=seed, progress=progress).save(output)
    if task in ("names", "all"):
        words = Annotator.load(output).words
        names = train_names(root, words, seed=seed, progress=progress)
        names.save(output / "names.npz")
        train_kinds(root, names, seed=seed, progress=progress).save(output / "kinds.npz")
        attribute_lists(root).save(output / "attributes.npz")
    write_cards(output)
    return TrainingReport(task, 0, 0, {})


def _own_names(inputs: Sequence[str | Path], output: Path, seed: int, progress: Progress) -> TrainingReport:
    documents = [each for path in find_files(inputs) for each in _labelled_documents(path)]
    learnt, held = _divided(documents)
    base = Annotator.load()
    gazetteer = NameTagger.load(MODELS / "names.npz", base.words).gazetteer
    tagger = learn_names(_joined(learnt), base.words, gazetteer, seed=seed, progress=progress)
    score = _scored(tagger, held)
    _started(output)
    tagger.save(output / "names.npz")
    data = tuple({"name": str(path), "licence": "not stated"} for path in inputs)
    scores = tuple({"set": "held out", "measure": name, "value": value} for name, value in score.items())
    write_card(output, Card("names", "names in text", data, scores=scores, command="onoma train names"))
    return TrainingReport("names", sum(map(len, learnt)), sum(map(len, held)), score)


def _own_treebank(
    task: str, inputs: Sequence[str | Path], output: Path, seed: int, progress: Progress
) -> TrainingReport:
    from onoma.text.network_training import WordVectors, train_network

    banks = [read_treebank(path) for path in find_files(inputs)]
    whole = join_treebanks(banks)
    if len(whole) < 10:
        raise DataError(f"{len(whole)} sentences are too few to learn from and to hold some out")
    held_out = [s for s in range(len(whole)) if s % 10 == 9]
    learnt, held = _some(whole, [s for s in range(len(whole)) if s % 10 != 9]), _some(whole, held_out)
    base = Annotator.load()
    vectors = WordVectors(base.tagger.reader.inputs.word_keys, base.tagger.reader.vectors)
    tagger, parser = train_network(learnt, base.words, vectors, seed=seed, progress=progress)
    tags, trees = tagger.tag(held.tokens), parser.parse(held.tokens)
    right = trees.heads == held.heads
    labels = [parser.label_names[k] for k in trees.labels]
    n = max(len(held.words), 1)
    scores = {
        "XPOS": 100 * sum(tagger.xpos_names[k] == gold for k, gold in zip(tags.xpos, held.xpos, strict=True)) / n,
        "UPOS": 100 * sum(tagger.upos_names[k] == gold for k, gold in zip(tags.upos, held.upos, strict=True)) / n,
        "UAS": 100 * float(right.mean()),
        "LAS": 100 * sum(a and b == c for a, b, c in zip(right, labels, held.labels, strict=True)) / n,
    }
    _started(output)
    tagger.save(output / "tagger.npz")
    parser.save(output / "parser.npz")
    return TrainingReport(task, len(learnt), len(held), scores)


def _some(bank: Treebank, which: Sequence[int]) -> Treebank:
    """Return some sentences of a treebank; words stand apart by blanks."""
    bounds = bank.tokens.sentences
    places = [range(bounds[s], bounds[s + 1]) for s in which]
    kept = [i for place in places for i in place]
    new = {old: i for i, old in enumerate(kept)}
    heads = np.array([new.get(int(bank.heads[i]), -1) for i in kept], np.int32)
    tokens = Tokens.of_words([[bank.words[i] for i in place] for place in places])

    def chosen(column: Sequence[str]) -> list[str]:
        return [column[i] for i in kept]

    columns = (chosen(bank.words), chosen(bank.lemmas), chosen(bank.upos), chosen(bank.xpos), chosen(bank.feats))
    return Treebank(tokens, *columns, heads, chosen(bank.labels))


def _labelled_documents(path: Path) -> list[LabelledSentences]:
    """Read the documents of one file with their names."""
    if path.suffix in (".bio", ".iob"):
        return [_of_columns(path)]
    return [_of_annotations(each) for batch in read_annotations(path) for each in batch]


def _of_columns(path: Path) -> LabelledSentences:
    from onoma.corpus.readers.source import read_text

    words, names = [], []
    for block in read_text(path).replace("\r\n", "\n").split("\n\n"):
        rows = [line.split() for line in block.split("\n") if line.strip()]
        if any(len(row) < 2 for row in rows):
            raise DataError("a line needs a word and a label, apart by blanks or a tab", file=path)
        if rows:
            words.append([row[0] for row in rows])
            names.append(_checked(spans_of([row[-1] for row in rows]), path))
    return LabelledSentences(words, names, ["wiki"] * len(words))


def _of_annotations(document: Annotations) -> LabelledSentences:
    words = document.tokens["word"].to_pylist()
    spans = document.layer("name") if len(document.layer("name")) else document.layer("mention")
    rows = list(zip(*(spans[name].to_pylist() for name in ("start", "end", "type")), strict=True))
    taken, names = [], []
    for sentence in document.sentences.to_pylist():
        a, b = sentence["start"], sentence["end"]
        taken.append(words[a:b])
        inside = [(start - a, end - a, kind) for start, end, kind in rows if a <= start < end <= b and kind]
        names.append(_checked(_apart(inside), Path(document.documents["document"][0].as_py())))
    return LabelledSentences(taken, names, ["wiki"] * len(taken))


def _apart(spans: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    kept: list[tuple[int, int, str]] = []
    for span in sorted(spans, key=lambda each: (each[0], -each[1])):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def _checked(names: list[tuple[int, int, str]], path: Path) -> list[tuple[int, int, str]]:
    unknown = sorted({kind for _, _, kind in names} - set(NAME_TYPES))
    if unknown:
        raise DataError(f"has names of type {', '.join(unknown)}; allowed are {', '.join(NAME_TYPES)}", file=path)
    return names


def _divided(documents: list[LabelledSentences]) -> tuple[list[LabelledSentences], list[LabelledSentences]]:
    """Hold one in ten out, by what it says: the same on every machine and in every order of files.

    Where that leaves nothing to learn from (a few documents that begin alike), none is held out.
    """
    if len(documents) == 1:
        whole = documents[0]
        documents = [whole.take([i]) for i in range(len(whole))]
    held = [zlib.crc32(" ".join(each.words[0] if each.words else []).encode()) % 10 == 9 for each in documents]
    learnt = [each for each, is_held in zip(documents, held, strict=True) if not is_held]
    rest = [each for each, is_held in zip(documents, held, strict=True) if is_held]
    if not any(map(len, learnt)):
        learnt, rest = documents, []
    if not any(names for each in learnt for names in each.names):
        raise DataError("no sentence with names was found to learn from")
    return learnt, rest


def _joined(parts: Sequence[LabelledSentences]) -> LabelledSentences:
    return LabelledSentences(
        [words for part in parts for words in part.words if words],
        [names for part in parts for words, names in zip(part.words, part.names, strict=True) if words],
        [style for part in parts for words, style in zip(part.words, part.styles, strict=True) if words],
    )


def _scored(tagger: NameTagger, held: Sequence[LabelledSentences]) -> dict[str, float]:
    whole = _joined(held)
    if not len(whole):
        return {}
    tokens = Tokens.of_words(whole.words)
    found = tagger.find(tokens)
    gold, first = set(), tokens.sentences
    for s, names in enumerate(whole.names):
        gold |= {(0, int(first[s]) + a, int(first[s]) + b, kind) for a, b, kind in names}
    rows = zip(found.starts.tolist(), found.ends.tolist(), found.types.tolist(), strict=True)
    score = score_spans(gold, {(0, a, b, NAME_TYPES[kind]) for a, b, kind in rows})
    return {"precision": score.precision, "recall": score.recall, "F1": score.f1}
