"""Who carries the work: threads or processes here, or a Spark cluster."""
