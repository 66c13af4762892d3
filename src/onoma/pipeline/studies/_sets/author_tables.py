"""Tables of authors and inventors as trees want them: simulated, of the ACL Anthology, of PatentsView, of AMiner."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.corpus.readers.table import read_table
from onoma.corpus.simulate.authors import simulate_authors
from onoma.pipeline.evaluation import gold_labels
from onoma.pipeline.reproduce import Context
from onoma.resolve.fields.writing import fold_all
from onoma.resolve.models.hierarchical.learning import AUTHOR_BAGS
from onoma.resolve.models.hierarchical.mentions import BagColumn, TreeColumns
from onoma.resolve.models.hierarchical.trees import BagScores
from onoma.resolve.models.hierarchical.whole_names import NameColumn

__all__ = ["AuthorTable", "aminer", "anthology", "patents", "simulated"]

PEOPLE, TEXT, CATEGORY = AUTHOR_BAGS["people"], AUTHOR_BAGS["text"], AUTHOR_BAGS["category"]
ONE_A_PAPER = BagScores(exclusive=20.0)
"""Two names on one paper are two people's."""
_MOST_AUTHORS = 60
"""Of papers with more authors, co-authors say little and cost much."""


@dataclass(frozen=True, eq=False)
class AuthorTable:
    """Mentions, their truth where it is known, and two baselines."""

    columns: TreeColumns
    gold: Clustering
    full_name: Clustering
    """All of one full name are one."""
    name_key: Clustering
    """All of one initial and family name (or block) are one."""


def simulated(n: int, *, seed: int) -> AuthorTable:
    """Return simulated authors: canopies by initial and family name; co-authors, titles and venues as words."""
    table = simulate_authors(n, seed=seed)
    first, last = _folded(table["first"]), _folded(table["last"])
    given = pc.utf8_trim_whitespace(pc.binary_join_element_wise(first, _folded(pc.fill_null(table["middle"], "")), " "))
    company = BagColumn.of_lists(_elements(table["coauthors"], "; "))
    bags = [company, BagColumn.of_texts(_folded(table["title"])), BagColumn.of_texts(_folded(table["venue"]))]
    return _table(given, last, last, bags, [PEOPLE, TEXT, CATEGORY], Clustering.from_labels(table["cluster_id"]))


def anthology(context: Context) -> AuthorTable:
    """Return all authorships of the ACL Anthology; a canopy is an initial and the last word of the family name."""
    rows = read_table(context.file("resolution/acl-anthology/mentions.csv.gz")).table
    papers = read_table(context.file("resolution/acl-anthology/papers.csv.gz")).table
    first, last = _folded(rows["first"]), _folded(rows["last"])
    paper = rows["paper_id"].combine_chunks()
    at = pc.index_in(paper, papers["paper_id"].combine_chunks())
    title, venue = (_folded(papers[name].combine_chunks().take(at)) for name in ("title", "venue"))
    short = _short(first, last)
    bags = [
        _company(paper, short, paper, short),
        *(BagColumn.of_texts(each) for each in (title, venue, _folded(rows["affiliation"]), paper)),
    ]
    kinds = [PEOPLE, TEXT, CATEGORY, CATEGORY, ONE_A_PAPER]
    gold = Clustering.from_labels(gold_labels(rows["cluster_id"]))
    final = pa.array([name.rpartition(" ")[2] for name in last.to_pylist()])
    return _table(first, last, final, bags, kinds, gold)


def patents(context: Context) -> AuthorTable:
    """Return the inventors of PatentsView's benchmark blocks: co-inventors, title, assignee, class, place."""
    folder = "resolution/patentsview"
    rows, about, everyone = (
        read_table(context.file(f"{folder}/{name}.csv.gz")).table for name in ("mentions", "patents", "inventors")
    )
    first, last = _folded(rows["first"]), _folded(rows["last"])
    patent, known, theirs = (table["patent_id"].cast(pa.string()).combine_chunks() for table in (rows, about, everyone))
    at = pc.index_in(patent, known)
    title, assignees, classes = (
        about[name].combine_chunks().take(at) for name in ("title", "assignee_organizations", "cpc_subclasses")
    )
    place = pc.binary_join_element_wise(*(pc.fill_null(rows[name], "") for name in ("city", "state", "country")), ", ")
    others = _short(_folded(everyone["first"]), _folded(everyone["last"]))
    bags = [
        _company(patent, _short(first, last), theirs, others),
        BagColumn.of_texts(_folded(title)),
        BagColumn.of_lists(_elements(assignees, "|")),
        BagColumn.of_texts(classes, by="|"),
        BagColumn.of_texts(place, by="|"),
        BagColumn.of_texts(patent),
    ]
    kinds = [PEOPLE, TEXT, CATEGORY, CATEGORY, CATEGORY, ONE_A_PAPER]
    return _table(first, last, last, bags, kinds, Clustering.from_labels(gold_labels(rows["cluster_id"])))


def aminer(context: Context) -> AuthorTable:
    """Return AMiner's blocks of one name each: co-authors, title, venue, organisation."""
    rows = read_table(context.file("resolution/aminer110/mentions.csv.gz")).table
    block = _folded(rows["name_block"])
    authors = _elements(rows["authors"], ",")
    owner = pc.list_parent_indices(authors).to_numpy(zero_copy_only=False)
    names = authors.flatten().to_pylist()
    own = [_brief(name) for name in block.to_pylist()]
    company = [
        (int(row), _brief(name)) for row, name in zip(owner, names, strict=True) if name and _brief(name) != own[row]
    ]
    bags = [
        _bag_of_pairs(len(rows), [row for row, _ in company], pa.array([name for _, name in company])),
        BagColumn.of_texts(_folded(rows["title"])),
        BagColumn.of_texts(_folded(rows["venue"]), by="|"),
        BagColumn.of_texts(_folded(rows["organization"])),
    ]
    canopy = Clustering.from_labels(block)
    columns = TreeColumns(canopy.labels, [], bags, [PEOPLE, TEXT, CATEGORY, CATEGORY], [True, False, False, False])
    return AuthorTable(columns, Clustering.from_labels(rows["cluster_id"]), canopy, canopy)


def _table(
    given: pa.Array,
    family: pa.Array,
    key: pa.Array,
    bags: Sequence[BagColumn],
    kinds: Sequence[BagScores],
    gold: Clustering,
) -> AuthorTable:
    canopy = Clustering.from_labels(_short(given, key))
    names = [NameColumn.of_texts(given), NameColumn.of_texts(family)]
    columns = TreeColumns(canopy.labels, names, bags, kinds, [k == 0 for k in range(len(bags))])
    full = Clustering.from_labels(pc.binary_join_element_wise(given, family, " "))
    return AuthorTable(columns, gold, full, Clustering.from_labels(_short(given, family)))


def _folded(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return texts in small letters without accents and signs; nulls are empty."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    encoded = pc.dictionary_encode(pc.fill_null(whole, ""))
    return pa.array(fold_all(encoded.dictionary.to_pylist()), pa.string()).take(encoded.indices)


def _elements(column: pa.Array | pa.ChunkedArray, by: str) -> pa.ListArray:
    """Return lists of folded elements."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    lists = pc.split_pattern(pc.fill_null(whole, ""), by)
    return pa.ListArray.from_arrays(lists.offsets, _folded(lists.flatten()))


def _short(first: pa.Array, last: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(pc.utf8_slice_codeunits(first, 0, 1), last, " ")


def _brief(name: str) -> str:
    return f"{name[:1]} {name.rpartition(' ')[2]}"


def _company(paper: pa.Array, name: pa.Array, papers: pa.Array, names: pa.Array) -> BagColumn:
    """Return for each mention the names of the others on its paper, taken from a list of papers and names."""
    encoded = pc.dictionary_encode(pa.chunked_array([papers, paper])).combine_chunks()
    group = encoded.indices.to_numpy().astype(np.int64)
    there, here = group[: len(papers)], group[len(papers) :]
    written = pc.dictionary_encode(pa.chunked_array([names, name])).combine_chunks()
    code = written.indices.to_numpy().astype(np.int64)
    theirs, own = code[: len(papers)], code[len(papers) :]
    order = np.argsort(there, kind="stable")
    sizes = np.bincount(there, minlength=int(group.max(initial=0)) + 1)
    starts = np.cumsum(sizes) - sizes
    lengths = np.where(sizes[here] > _MOST_AUTHORS, 0, sizes[here])
    row = np.repeat(np.arange(len(here)), lengths)
    inside = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    found = theirs[order[starts[here][row] + inside]]
    other = found != own[row]
    return _bag_of_codes(len(here), row[other], found[other], written.dictionary)


def _bag_of_pairs(n: int, rows: Sequence[int], words: pa.Array) -> BagColumn:
    encoded = pc.dictionary_encode(words)
    return _bag_of_codes(n, np.array(rows, np.int64), encoded.indices.to_numpy().astype(np.int64), encoded.dictionary)


def _bag_of_codes(n: int, rows: NDArray[np.int64], codes: NDArray[np.int64], words: pa.Array) -> BagColumn:
    pairs = np.unique(rows * len(words) + codes)
    offsets = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(pairs // max(len(words), 1), minlength=n), out=offsets[1:])
    return BagColumn(offsets, (pairs % max(len(words), 1)).astype(np.int32), words)
