from onoma.knowledge.mrlsa import Mrlsa, RawRelations
from onoma.pipeline.knowledge.relate import fit_words, open_words


def test_relations_a_thesaurus_lacks_are_left_out(tmp_path):
    path = tmp_path / "moby.txt"
    path.write_text("hot,warm,ardent\ncold,cool\nardent,eager\n")
    opened = open_words([path])
    assert isinstance(opened.relations, RawRelations)
    assert opened.relations.tensor.relations == ("synonym",)
    assert opened.relations.top("synonym", "warm", 1)[0].word in {"hot", "ardent"}


def test_several_thesauri_are_one_and_a_model_is_kept(tmp_path):
    (tmp_path / "a.txt").write_text("hot,warm\ncold,cool\n")
    (tmp_path / "b.tsv").write_text("hot\tant\tcold\ncold\tant\thot\n")
    fitted = fit_words([tmp_path / "a.txt", tmp_path / "b.tsv"], tmp_path / "model", rank=4)
    again = open_words(model=tmp_path / "model").relations
    assert isinstance(fitted.relations, Mrlsa)
    degree = fitted.relations.degree("antonym", "warm", "cool")
    assert again.degree("antonym", "warm", "cool") == degree > fitted.relations.degree("antonym", "warm", "hot")
