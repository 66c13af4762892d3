"""Asking a knowledge base: in SQL with error bars, as it was, and in the formats of others."""
