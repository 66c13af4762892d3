"""Slow twins of the kernels that gather records from inverted lists."""


def holders(features, values_of, records_of):
    """The records of the values of each feature, one value after the other."""
    return [[record for value in values_of[feature] for record in records_of[value]] for feature in features]


def having(records, codes, code, most):
    """The first of some records that have a code."""
    return [record for record in records if codes[record] == code][:most]
