"""Scripts that print what things cost and how often they fall short; they assert nothing about time."""
