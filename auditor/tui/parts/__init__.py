"""Parts of screens: each has the methods of a few actions, and gets its screen as what it needs of it."""
