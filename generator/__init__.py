"""The generator: pinned source in, static site and JSON out.

The steps, in the order in which a build takes them; a module imports only from modules above it:

    errors       what can go wrong
    pins         which commits are documented
    wheel        single files out of a release on the package index
    repository   a git repository on this machine
    remote       one commit of the git remote
    source       the bytes of a pinned file
    message      a message template: its id, its placeholders, its search pattern
    fstring      the placeholders of an f-string as they are written
    syntax       a parsed file, and where a node stands in it
    guards       what must hold for control to reach a statement
    assignments  where a name can have got its value
    wording      the texts that an expression can become
    exceptions   what a raise statement prints
    extract      source text → raise sites
    settings     what guards and messages read
    yamlfile     a hand-written file, with the line of every value
    analysis     the hand-written explanations
    proof        what the real vLLM printed
    catalog      raise sites of all pins + analyses → errors
    related      the neighbours of an error
    history      what changed between two pins
    escape       any text into Markdown, HTML and the rest
    endpoints    errors → JSON
    render       an error → Markdown
    site         everything that is published, as (path, text)
    build        the whole story in one function
    repin        a new pin, and what it would change
    report       what changed, in words or data
    proving      the proof cases, run on the real vLLM
    plugin       MkDocs takes it from there
    cli          the same from the command line

This file imports nothing.
"""
