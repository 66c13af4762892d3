"""Small networks in NumPy and Numba: gated recurrent layers, tables of vectors, Adam, best trees."""
