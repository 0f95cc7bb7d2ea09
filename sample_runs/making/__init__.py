"""What the maker of the sample run is made of; nothing in the installed package imports it."""
