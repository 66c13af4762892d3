# What editors and type checkers see of `import onoma`; the package itself loads each name when it is first used.

from onoma.api import KnowledgeBase as KnowledgeBase
from onoma.api import Result as Result
from onoma.api import annotate as annotate
from onoma.api import build as build
from onoma.api import coref as coref
from onoma.api import correct as correct
from onoma.api import evaluate as evaluate
from onoma.api import facts as facts
from onoma.api import link as link
from onoma.api import load as load
from onoma.api import names as names
from onoma.api import open as open  # noqa: A004
from onoma.api import resolve as resolve
from onoma.errors import OnomaError as OnomaError
from onoma.resolve.config import ResolveConfig as ResolveConfig
from onoma.resolve.fields.kinds import register_kind as register_kind

__version__: str
__all__: list[str]
