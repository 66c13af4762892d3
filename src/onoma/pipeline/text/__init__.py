"""Annotation and the training of text models: what runs, in which order."""
