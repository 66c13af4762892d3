"""Slips that a word and its neighbours make certain, found by rule."""
