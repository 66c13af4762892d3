"""Blocking: which pairs of records are worth comparing."""
