"""Onoma beside its peers, measured in one run. `python -m benchmarks` lists and runs them."""
