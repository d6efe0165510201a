"""C text that can be changed: a tree of pieces, each of which knows what may stand in its place.

A piece is a string or a `Node`. The text of a program is that of its pieces in order. `@` stands before every name that
another program of the same file may also have; `text` replaces it by a prefix, so that many programs fit into one file.
"""
import copy


class Node:
    """Some text with a role.

    `choice`: one of `alternatives`; `binary`: operands that may be swapped or dropped; `statement`: may be removed or
    doubled; `block`: a list of statements; `site`: a check that is put in later; `plain`: nothing of that.
    """

    __slots__ = ("kind", "parts", "alternatives", "site")

    def __init__(self, kind, parts, alternatives=(), site=None):
        self.kind, self.parts, self.alternatives, self.site = kind, parts, alternatives, site

    def walk(self):
        """This node and all below it, in the order of the text."""
        yield self
        for part in self.parts:
            if isinstance(part, Node):
                yield from part.walk()

    def text(self, prefix=""):
        """The C text, with `prefix` before the names of the file."""
        return "".join(str(node) for node in self._strings()).replace("@", prefix)

    def _strings(self):
        for part in self.parts:
            if isinstance(part, Node):
                yield from part._strings()
            else:
                yield part


def plain(*parts):
    """A sequence of pieces."""
    return Node("plain", list(parts))


def choice(rng, alternatives):
    """One of some texts."""
    alternatives = list(alternatives)
    return Node("choice", [rng.choice(alternatives)], alternatives)


def constant(rng, values):
    """One of some numbers."""
    return choice(rng, [str(value) if value >= 0 else f"({value})" for value in values])


def binary(left, operator, right):
    """Two operands in parentheses."""
    return Node("binary", ["(", left, " ", operator, " ", right, ")"])


def statement(*parts):
    """A statement that may be removed or doubled, on a line of its own."""
    return Node("statement", ["  ", *parts, "\n"])


def fixed(*parts):
    """A declaration, or a statement with a label: it stays, what is in it may change."""
    return Node("plain", ["  ", *parts, "\n"])


def block(statements):
    """A list of statements."""
    return Node("block", list(statements))


def change(rng, program):
    """A copy of a program with one small change, and the kind of the change; None if the text stays the same."""
    changed = copy.deepcopy(program)
    nodes = list(changed.walk())
    kind = rng.choice(["choice"] * 5 + ["binary"] * 2 + ["remove"] * 3 + ["insert"] * 2)
    if kind == "choice":
        node = rng.choice([n for n in nodes if n.kind == "choice" and len(n.alternatives) > 1])
        node.parts = [rng.choice([text for text in node.alternatives if text != node.parts[0]] or node.parts)]
    elif kind == "binary":
        node = rng.choice([n for n in nodes if n.kind == "binary"] or [None])
        if node is None:
            return None
        if rng.randrange(2):
            node.parts[1], node.parts[5] = node.parts[5], node.parts[1]
        else:
            node.parts = [rng.choice([node.parts[1], node.parts[5]])]
    else:
        places = [(n, i) for n in nodes if n.kind == "block" for i, p in enumerate(n.parts)
                  if isinstance(p, Node) and p.kind == "statement" and (kind == "remove" or "goto" not in p.text())]
        if not places:
            return None
        node, index = rng.choice(places)
        if kind == "remove":
            del node.parts[index]
        else:
            node.parts.insert(rng.randrange(index, len(node.parts) + 1), copy.deepcopy(node.parts[index]))
    return (changed, kind) if changed.text() != program.text() else None
