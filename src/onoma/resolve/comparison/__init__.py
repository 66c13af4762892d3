"""Comparison: what pairs of records share, and what it weighs, learnt without labels, from labels, or given."""
