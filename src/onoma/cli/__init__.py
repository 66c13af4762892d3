"""The command line: parses, calls, prints. One file per command; the algorithms are elsewhere."""
