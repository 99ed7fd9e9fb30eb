"""Customers as a company's table has them: a key, an address, dates and moments as text, yes and no as letters, numbers
with separators, missing values by several names, a constant, names that are keywords; and whether they left."""

import datetime
import math
import random

PLANS = {"free": 0.9, "basic": 0.2, "Größe XL": -0.2, "pro": -0.9}


def made(count, seed=11):
    draw = random.Random(seed)
    for number in range(1, count + 1):
        days, seen_days = draw.randrange(2000), 300 * draw.random()
        signup = datetime.date(2019, 1, 1) + datetime.timedelta(days)
        seen = datetime.datetime(2025, 1, 1) + datetime.timedelta(seen_days)
        is_active, revenue = draw.random() < 0.6, math.exp(draw.gauss(6.5, 1))
        plan, age, visits, score = draw.choice(list(PLANS)), draw.randrange(18, 80), int(draw.expovariate(0.05)), draw.gauss(0, 1)
        leaves = (PLANS[plan] - 1.2 * is_active + 0.0012 * (days - 1000) - 0.9 * (math.log(revenue) - 6.5)
                  - 0.03 * (visits - 20) + 0.5 * score + 0.004 * (151 - seen_days) + 0.3)
        yield (number, f"user{number}@example.org", str(signup), seen.strftime("%Y-%m-%d %H:%M:%S"), "t" if is_active else "f",
               f"{revenue:,.1f}", plan, draw.choice(["Köln", "東京", "Paris"]), draw.choice(["n/a", "?"]) if draw.random() < 0.03 else age,
               visits, None if draw.random() < 0.05 else score, "DE", draw.randrange(5), draw.choice("abc"), draw.random(),
               int(draw.random() < 1 / (1 + math.exp(-1.3 * leaves))))
