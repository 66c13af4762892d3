"""The copying model: records that descend from records."""
