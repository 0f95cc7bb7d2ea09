"""Find what mistakes would explain a wrong prediction, by running programs with one fault; no database, no screen."""
