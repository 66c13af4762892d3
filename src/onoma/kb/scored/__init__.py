"""Pairs that somebody else has scored: clusters of them, and a knowledge base of these."""
