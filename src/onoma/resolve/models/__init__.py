"""The models of who is who: one folder for each, and none knows another."""
