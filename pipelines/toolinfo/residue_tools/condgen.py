"""Tool-info module of `condgen`."""

from . import common


class Tool(common.Transformer):
    """Condition generation: the input file of the task is a difference graph."""

    TOOL = "condgen"
