"""Published tables of extraction."""
