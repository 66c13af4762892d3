"""How good is it? Measures of clusterings, their uncertainty, and where the errors are."""
