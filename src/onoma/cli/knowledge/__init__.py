"""Commands on facts and words."""
