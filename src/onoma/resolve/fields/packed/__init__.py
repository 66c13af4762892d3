"""Texts by the million: side by side in memory, as bytes and as letters."""
