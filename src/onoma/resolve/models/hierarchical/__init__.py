"""The hierarchical model: entities as trees of sub-entities."""
