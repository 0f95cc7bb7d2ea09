"""The language C*: syntax, printing, two semantics, spellings, planted errors, a fuzzer; values in, values out."""
