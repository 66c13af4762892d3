import pytest

from onoma.extract.bibliography import bibtex, names_of
from onoma.extract.extractor import Span


def entry(**fields: str | list[str]) -> str:
    found = [(label.replace("_", "-"), text) for label, text in fields.items()]
    texts = [(label, each) for label, text in found for each in ([text] if isinstance(text, str) else text)]
    return bibtex([Span(label, text, 0, 0, 1.0) for label, text in texts], 7)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Smith, J. and Doe, A.", ["Smith, J.", "Doe, A."]),
        ("L. Ratinov and D. Roth,", ["L. Ratinov", "D. Roth"]),
        (
            "Sameer Singh, Fernando Pereira, and Andrew McCallum.",
            ["Sameer Singh", "Fernando Pereira", "Andrew McCallum"],
        ),
        ("Knuth DE.", ["Knuth DE"]),
        ("Wick, M.L.:", ["Wick, M.L."]),
        ("Lewis, Mike.", ["Lewis, Mike"]),
        ("Müller, K.; Øre, Å.", ["Müller, K.", "Øre, Å."]),
        ("Brin S, Page L et al.", ["Brin S", "Page L", "others"]),
        ("In A. Brown (eds.)", ["A. Brown"]),
        ("W3C.", ["W3C"]),
        ("", []),
    ],
)
def test_names_are_told_apart(text, names):
    assert names_of(text) == names


@pytest.mark.parametrize(
    ("volume", "fields"),
    [
        ("88(3),", ["volume = {88}", "number = {3}"]),
        ("vol. 7, no. 2,", ["volume = {7}", "number = {2}"]),
        ("11,", ["volume = {11}"]),
        ("2017;30:5998-6008.", ["year = {2017}", "volume = {30}", "pages = {5998--6008}"]),
        ("Part A of three", ["volume = {Part A of three}"]),
    ],
)
def test_volumes_are_taken_apart(volume, fields):
    told = entry(journal="J. Sums", volume=volume)
    assert told.startswith("@article{ref7,")
    assert all(field in told for field in fields)
    assert ("number" in told) == any("number" in field for field in fields)


def test_what_tex_reads_is_escaped_but_not_in_addresses():
    told = entry(title="Sums & products_1", url="https://example.org/a_b&c.")
    assert "title = {Sums \\& products\\_1}" in told
    assert "url = {https://example.org/a_b&c}" in told


def test_kinds_and_edges():
    assert entry(citation_number="[1]", genre="PhD thesis,", publisher="MIT").startswith("@phdthesis{ref7,\n  genre")
    assert "school = {MIT}" in entry(genre="PhD thesis", publisher="MIT")
    assert entry(title="A.", publisher="B.").startswith("@book")
    told = entry(container_title="In: Proc. ICML 2001,", pages="pp. 1–9.", date="June 2000", edition="2nd ed.")
    assert "booktitle = {Proc. ICML 2001}" in told
    assert "pages = {1--9}" in told
    assert "year = {2000}" in told
    assert "month = {June}" in told
    assert "edition = {2nd}" in told
    assert "year = {2001}" in entry(container_title="ICML 2001.")
    assert "note = {accessed 3 May; here}" in entry(note=["(accessed 3 May)", "here."])
