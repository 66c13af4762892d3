"""What words are: names of people, of organisations, of places, or text, told by their letters."""

from onoma.resolve.fields.wording.model import CLASSES, Wording, shipped_wording

__all__ = ["CLASSES", "Wording", "shipped_wording"]
