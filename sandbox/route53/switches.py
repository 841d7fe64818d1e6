"""The questions about Route 53 that no source answers, each with both answers.

A default is the answer that evidence favours. Tests and simulations run under both; no product
code may lean on one of them.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Switches:
    """Choose an answer to each open question; `marks.py` says what each one asks."""

    delete_compares_routing_fields: bool = True
    identical_delete_create_accepted: bool = True
    create_then_delete_accepted: bool = True
    list_order_matters: bool = True
    values_compared_in_normal_form: bool = True
    equal_changes_dropped: bool = True
    alias_target_delete_allowed: bool = True
    weighted_holds_several_values: bool = True
    weighted_ttl_must_match: bool = False
    throttled_batch_may_land: bool = False
    forgotten_change_unknown: bool = False
