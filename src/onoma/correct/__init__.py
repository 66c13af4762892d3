"""Correction: what a learner meant to write, from native counts and learnt classifiers."""
