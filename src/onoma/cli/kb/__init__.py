"""Commands on a knowledge base."""
