"""First-order rules: mined, grounded, weighed, and what follows from them."""
