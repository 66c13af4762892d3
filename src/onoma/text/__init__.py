"""From raw English to tokens, tags, trees and names: fast, offline, with models trained here and shipped.

Every stage takes a batch of tokens (`tokens.Tokens`: one or many sentences) and returns arrays, one entry a token:

* `tokeniser.Tokeniser.tokenise(text)` → `Tokens`;
* `tagger.Tagger.tag(tokens)` → `Tags(upos, xpos, feats)`, codes into `upos_names`, `xpos_names`, `feats_names`;
* `lemmas.Lemmatiser.lemmas(words, upos, xpos)` → list of strings;
* `parser.Parser.parse(tokens)` → `Trees(heads, labels)`; a head is a token of the batch, -1 for a root;
* `phrases.noun_phrases(...)` → `Phrases(starts, ends, heads, kinds)`.

Each model has `save(path)` and `load(path)`: one `.npz` of arrays with a JSON header, nothing pickled.
"""
