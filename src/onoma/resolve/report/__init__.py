"""What was found, shown: explanations, charts, and the report as one page."""
