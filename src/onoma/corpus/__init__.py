"""What is read and written: schemas, clusterings, readers, writers, the store, simulated corpora."""
