"""Tool-info module of `reduce`."""

from . import common


class Tool(common.Transformer):
    """Construction of the residual program: the input file of the task is a condition."""

    TOOL = "reduce"
