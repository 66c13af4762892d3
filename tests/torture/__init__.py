"""Malformed inputs by the thousand: `make torture` runs many, the tests run some."""
