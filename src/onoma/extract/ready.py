"""Ready extractors: citations and US addresses, trained from data whose licences allow it.

`citations`: English and other references into fields, from AnyStyle's core set (BSD-2-Clause).
`addresses`: United States addresses into their parts, from usaddress's training set (MIT).
"""

from importlib import resources

from onoma.errors import DataError
from onoma.extract.extractor import Extractor

__all__ = ["READY", "open_ready"]

READY = ("citations", "addresses")


def open_ready(name: str) -> Extractor:
    """Open a ready extractor."""
    folder = resources.files("onoma.extract") / "models" / name
    with resources.as_file(folder) as path:
        if not (path / "extractor.json").exists():
            raise DataError(f"the ready extractor {name!r} is missing from this installation", hint="Install again.")
        return Extractor.load(path)
