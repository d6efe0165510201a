"""Tool-info module of `diffcond`."""

from . import common


class Tool(common.Detector):
    """Syntactic difference detection."""

    TOOL = "diffcond"
