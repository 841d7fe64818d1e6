"""Turn names between the wire's labels and Route 53's listing form, byte for byte.

Listings escape in octal (`\\052`), the zone-file form in decimal (`\\042`): a text of one is never
read as the other, so names cross only as label bytes.
"""

from dns.name import Name, root

from sandbox.route53.names import escape_label, labels


def listed(name: Name) -> str:
    """Write a name from the wire as Route 53 lists it; the root is a lone dot."""
    return "".join([escape_label(label.lower()) + "." for label in name.labels if label]) or "."


def on_the_wire(name: str) -> Name:
    """Read a listed name into labels."""
    if name == ".":
        return root
    return Name((*labels(name), b""))
