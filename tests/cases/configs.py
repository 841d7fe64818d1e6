"""Small texts of dns.yaml: a zone whose names are stated, or driven by one pool."""

from collections.abc import Mapping


def pool_config(
    targets: Mapping[str, str], *, names: str = "www: {pool: web}", more: str = ""
) -> str:
    """A dns.yaml whose zone shop has the pool `web` of these targets, probed by TCP."""
    listed = ", ".join(f'{{id: {key}, address: "{value}"}}' for key, value in targets.items())
    return (
        "azs: [az1, az2, az3]\nplanner: {max_plans_per_min: 600}\n"
        f"zones:\n  shop: {{name: example.com, ttl_s: 60, names: {{{names}}}}}\n"
        f"pools:\n  web: {{targets: [{listed}], health: {{tcp: {{port: 443}}}}{more}}}\n"
    )


def records_config(names: str, *, more: str = "") -> str:
    """A dns.yaml whose zone shop states these names."""
    zone = f"shop: {{name: example.com, ttl_s: 60, names: {{{names}}}}}"
    return f"azs: [az1, az2, az3]\nzones:\n  {zone}\n{more}"
