"""The corridor: what runs, in which order, recorded."""
