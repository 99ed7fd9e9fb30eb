"""Tables of series that tests of both databases forecast, and the statements that they are forecast by."""

import datetime
import math

# The columns of the rows below.
TABLE = "t (store TEXT, item INTEGER, day TEXT, sales REAL)"
TRAIN = ("SELECT store, item, day, sales FROM {rows} AS q TO TRAIN {estimator} WITH forecast.time = 'day', "
         "forecast.group = {group}, forecast.horizon = {horizon}{more} LABEL sales INTO {into}")
# Each with what it is trained with besides.
ESTIMATORS = {
    "Forecast": "",
    "AutoETS": "",
    "Theta": "",
    "ARIMA": ", forecast.order = [1, 1, 1], forecast.seasonal_order = [1, 0, 0], forecast.season = 7",
    "SeasonalNaive": "",
    "Croston": "",
    "MSTL": "",
}
# Trees that take little time.
SMALL_TREES = ", n_estimators = 8, max_depth = 3"


def statement(estimator="Forecast", rows="t", group="['store', 'item']", horizon=10, more="", into="m"):
    return TRAIN.format(estimator=estimator, rows=rows, group=group, horizon=horizon, more=more, into=into)


# The columns of promoted().
PROMOTED = "t (store TEXT, item INTEGER, day TEXT, sales REAL, promo INTEGER, price REAL)"


def regression(estimator, columns, horizon, more="", into="m", rows="t"):
    """The statement with so many columns beside those of TRAIN."""
    return (f"SELECT store, item, day, {columns}sales FROM {rows} AS q TO TRAIN {estimator} WITH forecast.time = 'day', "
            f"forecast.group = ['store', 'item'], forecast.horizon = {horizon}{more} LABEL sales INTO {into}")


def days(count, first=datetime.date(2024, 1, 1)):
    return [first + datetime.timedelta(i) for i in range(count)]


def value(store, item, i):
    """Has a season of seven, a trend and what looks like chance; sums of such are exact in doubles."""
    season = [8, 0, -3, -5, 1, 12, 15][(i + store) % 7]
    return 100 + 10 * store - 3 * item + season + i / 4 + (i * 7919 + store * 31 + item * 17) % 13 - 6


def rows(stores=3, items=2, count=60, missing=lambda store, item, i: False):
    """Rows for each day, store and item, but for those that are missing."""
    return [(f"s{store}", item, day.isoformat(), float(value(store, item, i)))
            for store in range(stores) for item in range(items) for i, day in enumerate(days(count))
            if not missing(store, item, i)]


def promoted(stores=3, items=2, count=60):
    """The same with a promotion, which adds 30, and a price, of which each unit takes 4 off."""
    made = []
    for store, item, day, known in rows(stores, items, count):
        place = datetime.date.fromisoformat(day).toordinal() * 7 + item + ord(store[1])
        promo, price = int(place * place % 11 < 3), 5 + place * 13 % 17 / 4
        made.append((store, item, day, known + 30 * promo - 4 * price, promo, price))
    return made


def sparse(store, item, i):
    """Series that begin and end by themselves, with gaps, and one of a single value."""
    if (store, item) == (1, 1):
        return i != 20
    return i < 3 * store or i >= 60 - item or (i * 5 + store) % 9 == 4


def close(one, other, share=1e-6):
    return math.isclose(one, other, rel_tol=share, abs_tol=share)
