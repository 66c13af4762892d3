"""The phylogeny of names: who descends from whom, and which names are one thing's."""
