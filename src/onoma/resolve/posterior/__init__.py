"""Posteriors over clusterings: samplers, chains that can be stopped, and the clustering to report."""
