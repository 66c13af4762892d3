"""A knowledge base as files for others."""
