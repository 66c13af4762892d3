"""The cross-document model: mentions grouped by names and the words around them."""
