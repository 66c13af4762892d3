"""Names that descend from names: how names mutate, who descends from whom, and which names are one thing's."""
