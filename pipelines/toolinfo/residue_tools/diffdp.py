"""Tool-info module of `diffdp`."""

from . import common


class Tool(common.Detector):
    """Difference detection by data dependencies and the property."""

    TOOL = "diffdp"
