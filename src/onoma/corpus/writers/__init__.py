"""From tables to files: one file per format."""
