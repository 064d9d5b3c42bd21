"""`python -m generator` is `vllm-errors`."""

from generator.cli import main

main()
