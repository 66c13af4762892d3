"""New entities and new facts in a factorisation that is already learnt.

Relations stay as they are, and so do all entities that the new facts do not speak of. The rows of those they do speak
of are solved again from all facts about them, old and new: a_i = n_i S_i⁻¹, the step of the iterations for that row
alone. New facts may join two new entities, so the step is repeated a few times.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.knowledge.facts import Codes, Facts, Names, Triples
from onoma.knowledge.rescal_explain import row_inverse
from onoma.knowledge.types import Fit, Types

if TYPE_CHECKING:
    from onoma.knowledge.rescal import Factorisation

__all__ = ["fold_in"]


def fold_in(
    model: "Factorisation",
    facts: Facts,
    table: pa.Table,
    *,
    types: Mapping[str, Sequence[str]] | None = None,
    rounds: int = 3,
) -> tuple["Factorisation", Facts]:
    """Return the model and the facts with new facts taken in.

    Parameters
    ----------
    model, facts
        What was learnt, and from what.
    table
        New facts (`FACTS`). Their relations must be known; entities may be new.
    types
        The types of new entities, each a known type; an entity not named here fits everywhere.
    rounds
        How often the rows are solved; more than one matters only where new entities speak of each other.
    """
    both = pa.chunked_array([*table["subject"].chunks, *table["object"].chunks], pa.string())
    fresh = [name for name in pc.unique(both).to_pylist() if name not in facts.entities]
    grown = _with_entities(model, fresh, types or {})
    new = Facts.from_table(table, entities=grown.entities, relations=facts.relations)
    together = Facts.from_codes(
        facts.triples.joined(new.triples),
        np.concatenate([facts.probability, new.probability]),
        grown.entities,
        facts.relations,
    )
    touched = np.unique(np.concatenate([new.triples.subjects, new.triples.objects]))
    return _solved(grown, together, touched, rounds), together


def _with_entities(model: "Factorisation", names: list[str], types: Mapping[str, Sequence[str]]) -> "Factorisation":
    """Return the model with more entities, whose rows are 0."""
    if not names:
        return replace(model, A=model.A.copy())
    entities = Names(pa.concat_arrays([model.entities.array, pa.array(names, pa.string())]), "entity")
    A = np.vstack([model.A, np.zeros((len(names), model.A.shape[1]), model.A.dtype)])
    grown, fit = model.types, model.fit
    if model.types is not None and model.signatures is not None:
        rows = [model.types.row_of(list(types.get(name, ()))) for name in names]
        grown = Types(model.types.names, sp.csr_array(sp.vstack([model.types.member, *rows])))
        fit = _grown_fit(model.fit, Fit.of(Types(model.types.names, sp.csr_array(sp.vstack(rows))), model.signatures))
    elif any(types.get(name) for name in names):
        raise SettingsError("types came for new entities, but the model was learnt without types")
    else:
        fit = replace(fit, block=np.concatenate([fit.block, np.zeros(len(names), np.int64)]))
    return replace(model, entities=entities, A=A, types=grown, fit=fit)


def _grown_fit(old: Fit, new: Fit) -> Fit:
    """Return a fit of the old entities, then the new ones; a block they share is one block."""
    place = {_key(old, b): b for b in range(old.subjects.shape[1])}
    added = [b for b in range(new.subjects.shape[1]) if _key(new, b) not in place]
    place |= {_key(new, b): old.subjects.shape[1] + i for i, b in enumerate(added)}
    block = np.array([place[_key(new, b)] for b in range(new.subjects.shape[1])], np.int64)[new.block]
    return Fit(
        np.concatenate([old.block, block]),
        np.hstack([old.subjects, new.subjects[:, added]]),
        np.hstack([old.objects, new.objects[:, added]]),
    )


def _key(fit: Fit, block: int) -> bytes:
    return fit.subjects[:, block].tobytes() + fit.objects[:, block].tobytes()


def _solved(model: "Factorisation", facts: Facts, touched: Codes, rounds: int) -> "Factorisation":
    inverses = {int(b): row_inverse(model, int(b)) for b in np.unique(model.fit.block[touched])}
    is_touched = np.zeros(len(facts.entities), np.bool_)
    is_touched[touched] = True
    speaking = is_touched[facts.triples.subjects] | is_touched[facts.triples.objects]
    about = facts.keep(speaking & model.fit.allows(facts.triples))
    A, nothing = model.A.copy(), np.zeros(model.A.shape[1])
    for _ in range(rounds):
        sides = _right_sides(A, model.R, about.triples, about.probability)
        for i in touched:
            A[i] = sides.get(int(i), nothing) @ inverses[int(model.fit.block[i])]
    return replace(model, A=A)


def _right_sides(
    A: NDArray[np.floating], R: NDArray[np.floating], triples: Triples, probability: NDArray[np.float64]
) -> Mapping[int, NDArray[np.float64]]:
    sides: dict[int, NDArray[np.float64]] = {}
    for s, k, o, x in zip(*(codes.tolist() for codes in triples.columns), probability.tolist(), strict=True):
        sides[s] = sides.get(s, 0.0) + x * (R[k] @ A[o]).astype(np.float64)
        sides[o] = sides.get(o, 0.0) + x * (A[s] @ R[k]).astype(np.float64)
    return sides
