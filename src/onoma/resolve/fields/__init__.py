"""Fields: what each column is, how its values are written in one way, compared, and brought together."""

from onoma.resolve.fields.features import SORTS, Features
from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.kinds import KIND_NAMES
from onoma.resolve.fields.missing import DisguisedMissing
from onoma.resolve.fields.prepare import Fields, Ignored, prepare_fields

__all__ = ["KIND_NAMES", "SORTS", "DisguisedMissing", "Features", "FieldData", "Fields", "Ignored", "prepare_fields"]
