"""PrEx: does a C* program violate a rule of the given semantics, and which?"""
