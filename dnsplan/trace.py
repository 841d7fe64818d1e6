"""The one word by which a plan is found in every log, row, batch and fence of its way.

It begins the digest, so that who looks for it finds what names the digest as well, and a plan of
any release or author has one: nothing is stored for it.
"""

from dnsplan.plan import Digest

# As long as a nonce: enough that no two plans ever share it, and short enough to be read out.
TRACE_CHARACTERS = 16


def trace_of(digest: Digest) -> str:
    """The trace of the plan with this digest."""
    return digest[:TRACE_CHARACTERS]
