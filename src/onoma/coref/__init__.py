"""Coreference within a document: which mentions of a text are one thing, and how sure that is."""
