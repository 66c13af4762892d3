"""Who changed what: the sealed chain of runs, and erasure."""
