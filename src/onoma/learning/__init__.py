"""Weights from data: maximum entropy, perceptron, naive Bayes, SampleRank, latent structures."""
