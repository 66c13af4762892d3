"""Facts and words: what runs, in which order."""
