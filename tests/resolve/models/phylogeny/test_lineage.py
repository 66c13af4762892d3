from onoma.resolve.models.phylogeny.lineage import FamilyTree, draw_tree, known_tree, likely_parents, tell_tree
from onoma.resolve.models.phylogeny.model import PhylogenySettings, fit_names


def test_a_tree_is_told_from_its_first_name_on():
    tree = FamilyTree(["b", "a", "c", "d"], [1, -1, 0, 1], [1, 3, 1, 1])
    told = tell_tree(tree).splitlines()
    assert [line.split("   ")[0].strip("│├└─ ") for line in told] == ["a ×3", "b", "c", "d"][: len(told)]
    assert told[2].startswith("│  └─ c")


def test_a_picture_escapes_names():
    picture = draw_tree(FamilyTree(["<A & B>", "A and B"], [-1, 0]))
    assert picture.startswith("<svg")
    assert "&lt;A &amp; B&gt;" in picture
    assert picture.count("<circle") == 2


def test_likely_parents_make_one_tree_for_each_entity():
    names = ["Ada Lovelace", "A. Lovelace", "Lovelace, Ada", "Alan Turing", "Turing, Alan", "Plato"]
    found = fit_names(names, settings=PhylogenySettings(n_samples=80, n_rounds=2))
    parents = likely_parents(found)
    labels = found.consensus.clustering.labels
    assert sum(parents < 0) == found.consensus.clustering.n_entities
    assert all(labels[p] == labels[i] for i, p in enumerate(parents.tolist()) if p >= 0)


def test_names_known_to_be_one_things_make_one_tree():
    tree = known_tree(["Ada Lovelace", "A. Lovelace", "Ada Lovelace", "Countess of Lovelace", "エイダ"])
    assert list(tree.parents).count(-1) == 1
    assert tree.counts == [2, 1, 1, 1]
    assert len(list(tree.walk())) == 4
