"""From files to tables: one file per format."""
