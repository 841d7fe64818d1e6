"""A day of an ordinary system, hour after hour: targets die and flap, networks part, sources lie.

The planners are the product's, three of them, each with its own sight; what truly is comes from a
seed, and a judge who knows it watches every plan. What schedules show of minutes, this shows of a
day: how often plans are published, how much capacity is taken out, and that it comes back.
"""
