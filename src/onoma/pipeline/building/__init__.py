"""From documents to a knowledge base: every stage of `onoma build`."""
