"""Work in partitions: which entities meet, and what one partition finds out about its own."""
