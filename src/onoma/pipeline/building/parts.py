"""Documents that were read, kept beside the output until all of it is written: a killed run loses no document.

Each is one file, named by a hash of all that decides what is in it: the document's name and text, and the models. So
what was kept for another text or another model is never used, and documents may come in any order.
"""

import hashlib
import json
import shutil
import zlib
from pathlib import Path

from onoma.corpus.documents import Text
from onoma.errors import DataError
from onoma.pipeline.building.reading import Read

__all__ = ["Kept"]


class Kept:
    """The folder of documents that were read.

    Parameters
    ----------
    folder
        Where they are.
    identity
        Names the models.
    """

    def __init__(self, folder: Path, identity: str) -> None:
        self.folder, self.identity = folder, identity

    def open(self, *, keep: bool = True) -> None:
        """Make the folder, or keep what is in it."""
        if self.folder.exists() and not keep:
            shutil.rmtree(self.folder)
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise DataError(f"cannot be made: {error.strerror}", file=self.folder) from error

    def load(self, text: Text) -> Read | None:
        """Return a document that was read before; None if it was not, or not wholly."""
        try:
            found = json.loads(zlib.decompress(self._place(text).read_bytes()))
            return Read(**found)
        except (OSError, ValueError, TypeError, zlib.error):
            return None

    def save(self, text: Text, read: Read) -> None:
        """Keep a document; its file appears whole or not at all."""
        place = self._place(text)
        fresh = place.with_suffix(".part")
        fresh.write_bytes(zlib.compress(json.dumps(read.as_json()).encode(), 1))
        fresh.replace(place)

    def clear(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _place(self, text: Text) -> Path:
        return self.folder / f"{fingerprint(text, self.identity)}.json.z"


def fingerprint(text: Text, identity: str) -> str:
    """Return a hash of a document and of what reads it."""
    digest = hashlib.blake2b(identity.encode(), digest_size=16)
    for piece in (text.document, text.text, text.source or "", text.problem or ""):
        raw = piece.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "little") + raw)
    return digest.hexdigest()
