"""Run untrusted programs behind a wall and record what they do: values in, values out; no database, no screen."""
