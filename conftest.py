"""Modules whose example needs a library of an extra are collected only where that extra is installed."""

from importlib.util import find_spec

EXTRAS = {
    "src/onoma/text/documents/spacy_component.py": "spacy",
    "src/onoma/pipeline/coref_spacy.py": "spacy",
    "docs/hooks.py": "latex2mathml",
    "src/onoma/serve/app.py": "fastapi",
    "src/onoma/serve/reconcile.py": "fastapi",
    "src/onoma/serve/tools.py": "mcp",
    "src/onoma/studio/app.py": "fastapi",
    "src/onoma/studio/changes.py": "fastapi",
    "src/onoma/studio/pages.py": "jinja2",
    "src/onoma/studio/reviewing.py": "fastapi",
}

collect_ignore = [path for path, library in EXTRAS.items() if find_spec(library) is None]
