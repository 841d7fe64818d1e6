"""Record sets in the forms of other tools, both ways: BIND zone files, octoDNS YAML, plan files.

Pure: texts in, texts out. What a form cannot say is returned as `Unsaid`, never left out silently.
"""

from dnsplan.formats.unsaid import Unsaid, Written, simple_form

__all__ = ["Unsaid", "Written", "simple_form"]
