"""Exact matching: what is equal in every field is one."""
