"""The pairwise model: a clustering is as good as the pairs it holds together."""
