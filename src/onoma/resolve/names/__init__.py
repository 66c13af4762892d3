"""How names change: words of names, edits, and what a change costs, learnt without labels."""
