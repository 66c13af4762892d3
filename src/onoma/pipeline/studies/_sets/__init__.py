"""The labelled sets that studies read, one family a file."""
