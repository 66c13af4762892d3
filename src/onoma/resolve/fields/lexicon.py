"""Words that mean something wherever they stand: titles, legal forms, abbreviations, stand-ins for nothing."""

__all__ = [
    "ADDRESS_WORDS",
    "GIVEN_NAME",
    "LEGAL_FORMS",
    "ORGANISATION_WORDS",
    "SMALL_WORDS",
    "STAND_INS",
    "TITLES",
    "listed",
]


GIVEN_NAME = "first given forename fname firstname givenname vorname prenom"
"""What a column of given names is called."""


def listed(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


def _shortened(text: str) -> dict[str, str]:
    """Read lines `word: short shorter`; return the word of each short form."""
    lines = (line.split(": ") for line in text.strip().splitlines())
    return {short: word.strip() for word, shorts in lines for short in shorts.split()}


TITLES = listed("""
    mr mrs ms miss mx dr prof professor sir dame madam lord lady rev reverend fr hon capt captain col gen lt maj sgt
    herr frau mme mlle monsieur madame senor senora sr sra dott ing dipl phd md esq obe cbe mbe jr ii iii iv
""")
"""Words around a personal name that are no part of it."""

LEGAL_FORMS = listed("""
    inc incorporated llc llp lp ltd limited plc corp corporation co company gmbh ag kg kgaa ohg ug ev mbh bv nv vof sa
    sas sarl srl spa oy oyj ab as asa aps kk pty pte sl slu ltda doo zrt kft sp zoo se eg hf
""")
"""What a company is in law."""

SMALL_WORDS = listed("the and of de la le les der die das und et for in at du des del di van von a")
"""Words that tell two organisations apart only seldom."""

ORGANISATION_WORDS = _shortened("""
    university: univ
    institute: inst
    department: dept
    international: intl
    national: natl
    association: assoc
    center: ctr centre
    laboratory: lab labs laboratories
    manufacturing: mfg
    technology: tech technologies
    school: sch
    hospital: hosp
    elementary: elem
""")
"""Abbreviations in names of organisations."""

ADDRESS_WORDS = _shortened("""
    street: st str saint strt
    avenue: ave av aven
    road: rd
    boulevard: blvd blv boul bvd
    drive: dr drv
    lane: ln
    place: pl plc
    court: ct crt
    crescent: cres crs cresc
    circuit: cct circ
    circle: cir
    close: cl
    highway: hwy hway
    parkway: pkwy pky
    square: sq
    terrace: tce ter terr
    way: wy
    grove: gr grv
    gardens: gdns gdn
    parade: pde
    plaza: plz
    route: rte
    expressway: expy
    turnpike: tpke
    mount: mt
    fort: ft
    heights: hts
    north: n no
    south: s so
    east: e
    west: w
    northeast: ne
    northwest: nw
    southeast: se
    southwest: sw
    apartment: apt
    suite: ste
    floor: fl flr
    building: bldg
    first: 1st
    second: 2nd
    third: 3rd
    fourth: 4th
    fifth: 5th
    sixth: 6th
    seventh: 7th
    eighth: 8th
    ninth: 9th
    tenth: 10th
""")
"""Abbreviations in addresses; Saint and Street, both `st`, cannot be told apart and become one word."""

STAND_INS = listed("""
    nan null nil none n/a n.a. #n/a <na> undefined unknown unk unspecified missing void empty blank tbd tba tbc test
    xxx ? ?? ??? - -- --- . .. ... * ** *** _ __ / // 0000-00-00 00/00/0000 00-00-0000 00.00.0000 00000000 k.a. anon
    anonymous
""") | {
    "not available",
    "not applicable",
    "not provided",
    "not given",
    "not known",
    "no data",
    "no value",
    "no name",
    "name unknown",
    "to be determined",
    "keine angabe",
    "sin datos",
}
"""Texts that say that there is nothing."""
