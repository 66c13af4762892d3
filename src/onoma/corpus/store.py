"""The one door to DuckDB."""
