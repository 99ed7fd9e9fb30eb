"""Estimates of the mean of a number that varies, from a sample."""

import math
import statistics

STUDENT = 2.093  # two-sided 95 % with 19 degrees of freedom, the fewest that Welch's interval of 20 and 20 has


def of_difference(ones, others):
    """The 95 % interval of the difference of the means that twenty or more of both are samples of."""
    difference = statistics.mean(ones) - statistics.mean(others)
    half = STUDENT * math.sqrt(statistics.variance(ones) / len(ones) + statistics.variance(others) / len(others))
    return difference - half, difference + half
