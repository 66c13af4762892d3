"""The published tables, one system a file; each file ends in a tuple `STUDIES`."""
