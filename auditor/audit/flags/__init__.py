"""What a reviewer would object to in an audit, each with its number, why it matters and what to do about it.

The overview screen, `auditor info --json` and the limits of a report take the same flags, so that they say the same.
"""
