"""Knowledge bases of models that draw for themselves: what the model said is kept, and judgements are laid over it."""
