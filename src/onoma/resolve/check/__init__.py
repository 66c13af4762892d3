"""Checks that need no labels: decoys that match nobody, planted copies that match somebody, and what they say."""
