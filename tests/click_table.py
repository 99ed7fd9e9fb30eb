"""Clicks for jobs over parameter servers: whether one follows depends on site and ad together, which no sum over the
columns tells."""

import math
import random

SITES, ADS = 40, 600


def rows(count, seed=4, sites=SITES, ads=ADS):
    """(ad, site, x, z, clicked): words, numbers, yes or no. Some ads are frequent, most are rare."""
    draw = random.Random(seed)
    site_side = [draw.choice((-1, 1)) for _ in range(sites)]
    ad_side = [draw.choice((-1, 1)) for _ in range(ads)]
    for _ in range(count):
        site, ad, x = draw.randrange(sites), min(int(draw.expovariate(.015)), ads - 1), draw.gauss(0, 1)
        logit = 2.2 * site_side[site] * ad_side[ad] + .7 * x
        yield f"ad{ad}", f"site{site}", x, draw.random(), "yes" if draw.random() < 1 / (1 + math.exp(-logit)) else "no"


def write(path, count, **of):
    """Writes the rows as a CSV file."""
    with open(path, "w") as file:
        file.write("ad,site,x,z,clicked\n")
        for ad, site, x, z, clicked in rows(count, **of):
            file.write(f"{ad},{site},{x:.5f},{z:.5f},{clicked}\n")
