"""Published tables of completing knowledge bases."""
