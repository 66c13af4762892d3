"""Structure of sentences: trees, phrases, chunks, pictures of them."""
