"""Names and what is known of them: spans with types, lists of names, gender, number and animacy."""
