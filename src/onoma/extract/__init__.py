"""Fields from text: what you know, written down as constraints, or a few labels, become an extractor."""
