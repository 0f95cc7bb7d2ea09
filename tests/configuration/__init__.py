"""Settings, key map files and where they come from."""
