"""Rows whose label depends on the weekday and the hour of a moment: made the same for every database."""

import datetime
import random

COLUMNS = ("born", "seen", "x", "y")
TRAIN = "SELECT born, seen, x, y FROM {} TO TRAIN LinearClassifier WITH train.epoch = 30 {} LABEL y INTO {}"
SPRING = datetime.datetime(2023, 3, 1)


def made(count, seed=6):
    """A date, a moment in UTC to the microsecond, a number, the label; now and then no date or no moment."""
    choice = random.Random(seed)
    for _ in range(count):
        born = datetime.date(1950, 1, 1) + datetime.timedelta(days=choice.randrange(25000))
        seen = SPRING + datetime.timedelta(microseconds=choice.randrange(400 * 86400 * 10 ** 6))
        label = int(seen.weekday() in (2, 5))  # Wednesdays and Saturdays: no stretch of the week
        yield (None if choice.random() < 0.01 else born, seen, choice.gauss(0, 1), label)


def in_zone(moment, minutes):
    """The moment as a text of another zone."""
    zone = datetime.timezone(datetime.timedelta(minutes=minutes))
    return moment.replace(tzinfo=datetime.timezone.utc).astimezone(zone).isoformat("T" if minutes % 60 else " ")
