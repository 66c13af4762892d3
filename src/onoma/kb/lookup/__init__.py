"""One record at a time: what is in the file held in memory, what stands around a record, who it is, adding it."""
