"""Rows of several types in one table: people beside organisations, papers beside restaurants."""
