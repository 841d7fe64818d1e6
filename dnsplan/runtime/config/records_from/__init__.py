"""`records_from:`: BIND zone files and octoDNS YAML, taken as if `names:` had stated them."""

from dnsplan.runtime.config.records_from.grafting import with_records
from dnsplan.runtime.config.records_from.stated import Gathered

__all__ = ["Gathered", "with_records"]
