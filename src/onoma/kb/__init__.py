"""The knowledge base: a resolution that lives on in one file, with new records, judgements, questions and a history."""
