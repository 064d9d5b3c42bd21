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
    members      the texts that a list can hold
    exceptions   what a raise statement prints
    extract      source text → raise sites
    declarations  what one pin declares: config classes, fields, helpers, environment variables
    arguments    how users reach a config field: flags, Python arguments, JSON keys
    names        the names that a piece of code reads
    settings     the settings behind those names
    words        a guard as a plain sentence
    ways_out     a guard negated: what makes the check pass; what the function tests next
    lists        the items that a placeholder can print
    automatic    where vLLM itself assigns a config field
    explain      all that is computed about one raise site
    yamlfile     a hand-written file, with the line of every value
    analysis     the hand-written explanations
    mentions     the names in an analysis
    facts        those names against what the pins declare
    proof        what the real vLLM printed
    catalog      raise sites of all pins + analyses → errors
    by_setting   every setting, and which others a check reads with it
    related      the neighbours of an error
    history      what changed between two pins
    logtext      what stands in a pasted log
    wordindex    the words of every wording, for searching
    matching     where a log has them
    complaints   what pydantic and argparse say by themselves
    values       what stands in place of placeholders
    origin       who raised what a log shows
    lookup       a pasted log → the errors in it
    handbook     what `explain` needs, kept ready
    indexing     errors → what a lookup searches
    escape       any text into Markdown, HTML and the rest
    conditions   an explanation as rows of a page
    setting_documents  settings, conditions and conflicts → JSON
    setting_pages  the pages of settings, prepared
    excerpt      quoted source → light HTML
    pictures     the story of an error, and the numbers over time, as SVG
    listing      what lists say about errors
    documents    the form of every JSON document
    endpoints    errors → JSON
    error_page   the page of an error, prepared
    render       errors and settings → Markdown
    site         everything that is published, as (path, text)
    build        the whole story in one function
    repin        a new pin, and what it would change
    report       what changed, in words or data
    proving      the proof cases, run on the real vLLM
    card         an explained log, for a terminal
    slim         finished HTML, made lighter
    plugin       MkDocs takes it from there
    log_commands  explains a log
    commands     does everything else
    cli          the same from the command line

This file imports nothing.
"""
