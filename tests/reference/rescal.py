"""RESCAL and TRESCAL from their definitions: dense tensors, explicit masks, r² × r² systems."""

import numpy as np


def dense(facts):
    X = np.zeros((len(facts.relations), len(facts.entities), len(facts.entities)))
    X[facts.triples.relations, facts.triples.subjects, facts.triples.objects] = facts.probability
    return X


def mask(fit):
    """Which cells count: relations × entities × entities."""
    return fit.subjects[:, fit.block][:, :, None] & fit.objects[:, fit.block][:, None, :]


def loss(X, W, A, R, lam):
    E = np.where(W, X - np.einsum("ir,krs,js->kij", A, R, A), 0.0)
    return 0.5 * np.sum(E**2) + 0.5 * lam * (np.sum(A**2) + np.sum(R**2))


def best_relation(X_k, W_k, A, lam):
    """The direct solve: one equation for each of the r² numbers of R_k."""
    rows = np.flatnonzero(W_k.any(axis=1))
    columns = np.flatnonzero(W_k.any(axis=0))
    left, right = A[rows], A[columns]
    Z = np.kron(left, right)
    rank = A.shape[1]
    system = Z.T @ Z + lam * np.eye(rank * rank)
    return np.linalg.solve(system, Z.T @ X_k[np.ix_(rows, columns)].ravel()).reshape(rank, rank)


def next_rows(X, W, A, R, lam):
    """Each entity's own least squares, the other side of every fact held fixed."""
    rows = []
    for i in range(len(A)):
        S, n = lam * np.eye(A.shape[1]), np.zeros(A.shape[1])
        for k in range(len(R)):
            for j in range(len(A)):
                if W[k, i, j]:
                    v = R[k] @ A[j]
                    S += np.outer(v, v)
                    n += X[k, i, j] * v
                if W[k, j, i]:
                    v = A[j] @ R[k]
                    S += np.outer(v, v)
                    n += X[k, j, i] * v
        rows.append(np.linalg.solve(S, n))
    return np.array(rows)
