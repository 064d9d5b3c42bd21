"""The generator: pinned source in, static site and JSON out.

The steps, in the order in which a build takes them; a module imports only from modules above it:

    errors      what can go wrong
    pins        which commits are documented
    source      the bytes of a pinned file
    message     a message template: its id, its placeholders, its search pattern
    guards      what must hold for control to reach a statement
    extract     source text → raise sites
    settings    what guards and messages read
    analysis    the hand-written explanations
    catalog     raise sites of all pins + analyses → errors
    history     what changed between two pins
    lookup      a pasted log → the errors in it
    render      an error → Markdown
    endpoints   errors → JSON
    site        everything that is published, as (path, text)
    build       the whole story in one function
    plugin      MkDocs takes it from there
    cli         the same from the command line

This file imports nothing.
"""
