"""Learning of sequences: chains of labels, labelled segments, what is expected of them."""
