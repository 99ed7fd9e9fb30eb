"""An example for each model: a statement that trains it, and one that uses it, on the tables of examples/data."""

TABLES = ("boston", "breast_cancer", "clicks", "customers", "iris", "ratings", "readings", "sales")
DAILY = "SELECT shop, day, sum(amount) AS sales FROM sales GROUP BY shop, day"
SERIES = ("WITH forecast.time = 'day', forecast.group = 'shop', forecast.horizon = 7, forecast.gaps = 'zero'\n"
          "LABEL sales INTO m")
OF_TASKS = {
    "classification": ("SELECT age, plan, calls, minutes, churned FROM customers\nTO TRAIN {} LABEL churned INTO m",
                       "SELECT * FROM customers WHERE id <= 3 TO PREDICT guess USING m"),
    "regression": ("SELECT crim, rm, lstat, ptratio, medv FROM boston\nTO TRAIN {} LABEL medv INTO m",
                   "SELECT medv, crim, rm, lstat, ptratio FROM boston LIMIT 3 TO PREDICT guess USING m"),
    "clustering": ("SELECT sepal_length, sepal_width, petal_length, petal_width FROM iris\n"
                   "TO TRAIN {} WITH n_clusters = 3 INTO m", "SELECT * FROM iris LIMIT 3 TO PREDICT cluster USING m"),
    "projection": ("SELECT sepal_length, sepal_width, petal_length, petal_width FROM iris\n"
                   "TO TRAIN {} WITH n_components = 2 INTO m", "SELECT * FROM iris LIMIT 3 TO PREDICT component USING m"),
    "detection": ("SELECT temperature, pressure, vibration FROM readings\nTO TRAIN {} INTO m",
                  "SELECT * FROM readings LIMIT 3 TO PREDICT anomaly USING m"),
}
OF_KINDS = {
    ("embedding", "classification"): ("SELECT site, ad, device, hour, clicked FROM clicks\n"
                                      "TO TRAIN {} LABEL clicked INTO m",
                                      "SELECT * FROM clicks WHERE id <= 3 TO PREDICT guess USING m"),
    ("embedding", "regression"): ("SELECT person, film, stars FROM ratings\nTO TRAIN {} LABEL stars INTO m",
                                  "SELECT * FROM ratings LIMIT 3 TO PREDICT guess USING m"),
    ("forecast", "regression"): (f"{DAILY}\nTO TRAIN {{}} {SERIES}", "FORECAST m FOR 1"),
}
RANKED = ("SELECT person, film, stars FROM ratings\nTO TRAIN {} WITH train.group = 'person' LABEL stars INTO m",
          "SELECT * FROM ratings LIMIT 3 TO PREDICT score USING m")
OF_MODELS = {
    "XGBRanker": RANKED,
    "LGBMRanker": RANKED,
    "ARIMA_PLUS_XREG": ("SELECT shop, day, sum(amount) AS sales, CAST(strftime('%w', day) AS integer) AS weekday\n"
                        f"FROM sales GROUP BY shop, day\nTO TRAIN {{}} {SERIES}", None),
}


def example_of(name, kind, task):
    """(statement that trains, statement that uses the model or None)."""
    train, use = OF_MODELS.get(name) or OF_KINDS.get((kind, task)) or OF_TASKS[task]
    return train.format(name), use
