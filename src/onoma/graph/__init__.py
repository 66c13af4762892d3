"""What is scored: discrete variables, factors, and the changes that touch them."""
