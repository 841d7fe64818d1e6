"""When health is no longer believed: if so many look dead, the looking is more likely broken.

Below the threshold nothing is taken out for its health; what answered goes on answering. It never
empties a name and never sets all weights to zero. The idea is Envoy's panic threshold.
"""


def is_panic(*, healthy: int, counted: int, threshold: float) -> bool:
    """Whether the healthy share of the targets that are not drained is below the threshold.

    Healthy here means that the newest look was good as well.
    One of two at a threshold of 0.5 is not below it: one dead host of two is taken out.
    """
    return counted > 0 and healthy < threshold * counted
