"""Statistics of graded responses: intervals for rates and paired differences. No database, no screen."""
