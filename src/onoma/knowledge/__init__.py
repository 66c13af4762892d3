"""Knowledge: facts about entities, what follows from them, and how words relate."""
