"""A knowledge base to look at and decide on: a web application for one person, on their own machine."""
