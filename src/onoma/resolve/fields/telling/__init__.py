"""What fields tell: which says most, what rows of one name share, what is said of the occasion or of the row alone."""
