"""Onoma: from names to the things named."""

__version__ = "0.1.0"
