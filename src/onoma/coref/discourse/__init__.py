"""What a text itself says before anything is learnt: who speaks, who writes to whom, who is said to be what."""
