"""Search: Metropolis–Hastings and Gibbs sampling, annealing, sampled factors, diagnostics."""
