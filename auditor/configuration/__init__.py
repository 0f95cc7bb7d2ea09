"""What a person chose: settings, keys and themes in a folder of their own. No screen and no audit file here."""
