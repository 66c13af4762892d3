"""Whole documents: every stage as tables, the models that are installed, spaCy beside Onoma."""
