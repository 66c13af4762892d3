"""The ready extractors are made here: `python -m onoma.pipeline.ready_extractors DATA OUTPUT`.

AnyStyle's core references (BSD-2-Clause) and usaddress's training addresses (MIT) are all that is learnt from; their
gold and test parts are never read here.
"""

import sys
from pathlib import Path

from onoma.extract.constraints import LabelSet
from onoma.extract.examples import Example
from onoma.extract.features import FeatureSettings
from onoma.extract.tokens import Text
from onoma.extract.training import Plan, train_from_labels
from onoma.learning.sequences.semicrf import Training
from onoma.pipeline.studies._sets.extraction import Labelled, read_anystyle, read_usaddress

__all__ = ["make_addresses", "make_citations"]


def make_citations(data: Path, output: Path) -> None:
    """Learn the citation extractor and write it to a folder.

    Every third reference is seen once more in small letters: many lists of references have no capitals, and a parser
    that never saw such takes the names of authors for titles. A reference and its copy stand together, so that both
    are held out or none is.
    """
    read = read_anystyle(data / "text/citations/anystyle_core.xml.gz")
    items = list[Labelled]()
    for k, item in enumerate(read):
        items += (item, Labelled(_small(item.text), item.spans)) if k % 3 == 0 else (item,)
    _make(items, output / "citations", FeatureSettings(edges=True, min_count=2, pairs=False))


def make_addresses(data: Path, output: Path) -> None:
    """Learn the address extractor and write it to a folder."""
    archive = data / "text/usaddress/usaddress_labeled.zip"
    members = ["training/labeled.xml", "training/multi_word_state_addresses.xml"]
    _make(read_usaddress(archive, members), output / "addresses", FeatureSettings(min_count=1, pairs=False))


def _small(text: Text) -> Text:
    return Text(text.source.lower(), tuple(token.lower() for token in text.tokens), text.starts)


def _make(items: list[Labelled], output: Path, features: FeatureSettings) -> None:
    examples = [Example(item.text, item.spans) for item in items if item.spans]
    names = sorted({name for each in examples for _, _, name in each.spans})
    plan = Plan(features=features, training=Training(l2=0.5, n_rounds=120))
    trained = train_from_labels(examples, LabelSet.of(names, other=None), plan)
    trained.extractor.save(output)


if __name__ == "__main__":
    make_citations(Path(sys.argv[1]), Path(sys.argv[2]))
    make_addresses(Path(sys.argv[1]), Path(sys.argv[2]))
