"""How far annotators agree: ratings in, coefficients with intervals out. No database, no screen."""
