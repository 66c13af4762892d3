"""How records are resolved: the model, the comparison, the price of errors, the effort."""

from dataclasses import dataclass, field
from typing import Literal, get_args

from onoma.errors import SettingsError
from onoma.resolve.blocking.canopies import CanopySettings
from onoma.resolve.comparison.choice import MODELS, ModelName
from onoma.resolve.comparison.weights import WeightSettings
from onoma.resolve.models.pairwise.run import PairwiseSettings

__all__ = ["COMPARISONS", "ComparisonName", "ModelSettings"]

ComparisonName = Literal["kinds", "mutation"]
COMPARISONS: tuple[ComparisonName, ...] = get_args(ComparisonName)


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """How records are resolved."""

    model: ModelName = "auto"
    """`correlation` and `exact-match` are points, the others have a posterior; `auto` chooses (`pick_model`)."""
    seed: int = 0
    comparison: ComparisonName = "kinds"
    """How values are compared: by the rules of their `kinds`, or by the model of `mutation` where it tells more."""
    link: bool = False
    """Join records of different sources only."""
    one_to_one: bool = False
    """When linking, let an entity have at most one record of each source."""
    threshold: float = 0.5
    """The price of a pair wrongly together; 1 - threshold is that of a pair wrongly apart."""
    n_burn_in: int = 30
    n_samples: int = 100
    n_entities: int | None = None
    """How many entities there are, for the model `cross-document`; None: nobody knows."""
    canopies: CanopySettings = field(default_factory=CanopySettings)
    weights: WeightSettings = field(default_factory=WeightSettings)
    pairwise: PairwiseSettings = field(default_factory=PairwiseSettings)

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise SettingsError(f"there is no model {self.model!r}", hint=f"The models are {', '.join(MODELS)}.")
        if self.n_entities is not None and self.model != "cross-document":
            raise SettingsError(
                "the number of entities is given to the model cross-document alone", hint="Add --model cross-document."
            )
        if self.comparison not in COMPARISONS:
            raise SettingsError(
                f"there is no comparison {self.comparison!r}", hint=f"The comparisons are {', '.join(COMPARISONS)}."
            )
        if self.comparison != "kinds" and self.model in ("hierarchical", "phylogeny", "cross-document", "exact-match"):
            raise SettingsError(
                f"the model {self.model} has a comparison of its own",
                hint='The comparison "mutation" is for the models copying, pairwise and correlation.',
            )

    @property
    def in_company(self) -> bool:
        """Whether an entity is scored by all its pairs, not by origins and copies."""
        return self.model in ("pairwise", "correlation")
