"""Reads the inputs out of a violation witness, whatever tool wrote it.

An assignment says that on a line of the program something has a value: `{"line", "what", "value"}`, `what` being a
variable or `\\result` for what the called function returned. They are listed in the order of the path. GraphML
witnesses (format 1.0) and YAML witnesses (format 2.x) are understood; what is not understood is left out, because the
inputs are replayed before anybody relies on them.
"""
import re
import xml.etree.ElementTree as ElementTree

import yaml

LARGEST = 64 << 20
FLOAT = r"0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][-+]?\d+|(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+"
NUMBER = rf"[-+]?\(*\s*[-+]?(?:(?:{FLOAT})[fFlL]?|(?:0[xX][0-9a-fA-F]+|\d+)\s*[uUlL]*)\s*\)*"
EQUATION = re.compile(rf"^\(*\s*(\\result|[A-Za-z_]\w*)\s*={{1,2}}\s*(?:\([\w\s]+\)\s*)?\(*({NUMBER})\)*$")


def assignments_of(folders, since):
    """The assignments of the newest violation witness that was written into a folder since the run began."""
    files = {}
    for folder in folders:
        for pattern in ("*.graphml", "*.yml", "*.yaml", "*/*.graphml", "*/*.yml", "*/*.yaml"):
            for path in folder.glob(pattern):
                files[path.resolve()] = path.stat()
    fresh = [path for path, stat in files.items() if stat.st_mtime >= since - 1 and stat.st_size <= LARGEST]
    for path in sorted(fresh, key=lambda path: (-files[path].st_mtime, str(path))):
        try:
            found = from_graphml(path) if path.suffix == ".graphml" else from_yaml(path)
        except (ElementTree.ParseError, yaml.YAMLError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            continue
        if found:
            return found
    return []


def equations(text, separators):
    """The equations with a constant in a conjunction or list."""
    for part in re.split(separators, text):
        match = EQUATION.match(part.strip())
        if match:
            yield match.group(1), constant(match.group(2))


def constant(text):
    """A number of C without parentheses and suffix, as a decimal number."""
    digits = re.sub(r"[()\s]", "", text).lstrip("+")
    sign = "-" if (len(digits) - len(digits.lstrip("-"))) % 2 else ""
    digits = digits.lstrip("-")
    is_hexadecimal = digits[:2] in ("0x", "0X")
    if re.fullmatch(rf"(?:{FLOAT})[fFlL]?", digits):
        # Decimal text stays as it is: it is rounded once, to the type of the input.
        return sign + (repr(float.fromhex(digits.rstrip("fFlL"))) if is_hexadecimal else digits.rstrip("fFlL"))
    digits = digits.rstrip("uUlL")
    base = 16 if is_hexadecimal else 8 if len(digits) > 1 and digits[0] == "0" else 10
    return sign + str(int(digits, base))


def from_graphml(path):
    """The assumptions along the path from the entry to the violation."""
    namespace = "{http://graphml.graphdrawing.org/xmlns}"
    root = ElementTree.parse(path).getroot()
    nodes, leaving = {}, {}
    for node in root.iter(f"{namespace}node"):
        nodes[node.get("id")] = data(node)
    for edge in root.iter(f"{namespace}edge"):
        leaving.setdefault(edge.get("source"), []).append((edge.get("target"), data(edge)))
    entry = next((name for name, fields in nodes.items() if fields.get("entry") == "true"), None)
    path_edges = way_to_violation(nodes, leaving, entry)
    found = []
    for fields in path_edges:
        line = int(fields.get("startline", 0))
        for what, value in equations(fields.get("assumption", ""), r";|&&"):
            found.append({"line": line, "what": what, "value": value})
    return found


def data(element):
    """The data fields of a node or edge; tools disagree about ids and names of keys, ids are what they agree on."""
    return {child.get("key"): (child.text or "").strip() for child in element if child.tag.endswith("}data")}


def way_to_violation(nodes, leaving, entry):
    """The edges of the first path from the entry to a violation, found breadth first; sinks end a path."""
    before, todo = {entry: None}, [entry]
    for node in todo:
        if nodes.get(node, {}).get("violation") == "true":
            way = []
            while before[node]:
                node, fields = before[node]
                way.append(fields)
            return way[::-1]
        for target, fields in leaving.get(node, []):
            if target not in before and nodes.get(target, {}).get("sink") != "true":
                before[target] = (node, fields)
                todo.append(target)
    return []


def from_yaml(path):
    """The assumptions and returned values of the segments of a violation sequence."""
    found = []
    for entry in yaml.safe_load(path.read_text(errors="replace")):
        if entry["entry_type"] != "violation_sequence":
            continue
        for part in entry["content"]:
            for item in part["segment"]:
                found += from_waypoint(item["waypoint"])
    return found


def from_waypoint(waypoint):
    """What a waypoint to be followed says about values."""
    kinds = ("assumption", "function_return")
    if waypoint.get("action") != "follow" or waypoint.get("type") not in kinds or "constraint" not in waypoint:
        return []
    line = int(waypoint["location"]["line"])
    text = str(waypoint["constraint"]["value"])
    return [{"line": line, "what": what, "value": value} for what, value in equations(text, r"&&")]
