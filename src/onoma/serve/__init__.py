"""A knowledge base as a service: JSON over HTTP, the Reconciliation API of OpenRefine, tools for assistants."""
