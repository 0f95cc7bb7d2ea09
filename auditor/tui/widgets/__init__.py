"""The widgets of the screens, one a file. Text from data reaches them raw and leaves them as visible characters."""
