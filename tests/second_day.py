"""A walk through the second day with a model, the same in sqlite3, in psql and in Python: three raw files become a view,
models are trained on it, one of them by AUTO, and compared; one is calibrated and gets a threshold by folds, is
explained, deployed as a view, watched, trained anew, taken back, and leaves as SQL for a database without ToTrain.

    write_files(folder)         customers.csv, orders.csv, calls.csv: dates as dd/mm/yyyy, empty cells, words
    TABLES, VIEW[dialect]       what reads them: a row a customer, `churned` is the label; `month` says when
    STEPS                       the statements, by their names
"""

import csv
import datetime
import math
import random

CUSTOMERS = 900
TABLES = {"customers": "customer,joined,month,plan,region,age,churned", "orders": "order_id,customer,amount",
          "calls": "customer,minutes,reason"}


def _rows(seed=11):
    """Rows of the three tables. From month 7 on a new plan is sold, and the customers of the old ones are older."""
    draw = random.Random(seed)
    customers, orders, calls = [], [], []
    for customer in range(1, CUSTOMERS + 1):
        month = 1 + customer % 9
        plan = draw.choice(["basic", "plus", "plus", "team"] if month < 7 else ["basic", "plus", "solo", "solo"])
        joined = datetime.date(2019, 1, 1) + datetime.timedelta(days=draw.randrange(1800))
        age = "" if draw.random() < 0.1 else round(draw.gauss(40 if month < 7 else 48, 10))
        bought, called = draw.randrange(6), draw.randrange(5)
        orders += [(len(orders) + i + 1, customer, f"{draw.lognormvariate(3, 1):.2f}") for i in range(bought)]
        calls += [(customer, round(draw.expovariate(0.2), 1), draw.choice(["bill", "help", "", "other"]))
                  for _ in range(called)]
        odds = 1.1 * called - 0.9 * bought + {"basic": 1, "plus": -0.5, "team": -2, "solo": 1.5}[plan]
        odds += (joined.year - 2021) * 0.6
        churned = "yes" if draw.random() < 1 / (1 + math.exp(-odds)) else "no"
        customers.append((customer, f"{joined:%d/%m/%Y}", month, plan, draw.choice(["north", "south", "east", "west"]), age,
                          churned))
    return {"customers": customers, "orders": orders, "calls": calls}


def write_files(folder):
    for name, rows in _rows().items():
        with open(folder / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(TABLES[name].split(","))
            out.writerows(rows)


_COLUMNS = """
CREATE VIEW facts AS
SELECT {customer} AS customer, {month} AS month, {joined} AS joined, c.plan, c.region, {age} AS age,
       (SELECT count(*) FROM orders o WHERE o.customer = c.customer) AS orders,
       (SELECT coalesce(sum(o.amount), 0) FROM orders o WHERE o.customer = c.customer) AS spent,
       (SELECT count(*) FROM calls k WHERE k.customer = c.customer) AS calls,
       (SELECT max(k.minutes) FROM calls k WHERE k.customer = c.customer) AS longest_call,
       c.churned
FROM customers c;"""
VIEW = {
    "sqlite": _COLUMNS.format(joined="substr(joined, 7) || '-' || substr(joined, 4, 2) || '-' || substr(joined, 1, 2)",
                              customer="CAST(c.customer AS INTEGER)", month="CAST(c.month AS INTEGER)",
                              age="CAST(nullif(age, '') AS INTEGER)"),
    "postgres": _COLUMNS.format(joined="to_date(joined, 'DD/MM/YYYY')", customer="c.customer", month="c.month", age="age"),
}

INPUTS = "joined, plan, region, age, orders, spent, calls, longest_call"
OLD = f"SELECT {INPUTS}, churned FROM facts WHERE month < 7 AND customer % 4 > 0"
TEST = f"SELECT {INPUTS}, churned FROM facts WHERE month < 7 AND customer % 4 = 0"
NEW = f"SELECT {INPUTS}, churned FROM facts WHERE month >= 7"
_FINAL = ("TO TRAIN XGBClassifier WITH num_boost_round = 30, max_depth = 3, train.folds = 4, "
          "train.calibration = 'sigmoid', train.threshold = 'cost 1, 5' LABEL churned INTO churn")

STEPS = {
    "linear": f"{OLD} TO TRAIN LinearClassifier LABEL churned INTO linear;",
    "boosted": f"{OLD} TO TRAIN XGBClassifier WITH num_boost_round = 30, max_depth = 3 LABEL churned INTO boosted;",
    "forest": f"{OLD} TO TRAIN RandomForestClassifier WITH n_estimators = 20, max_depth = 6 LABEL churned INTO forest;",
    "auto": f"{OLD} TO TRAIN AUTO WITH tune.trials = 4 LABEL churned INTO chosen;",
    "compare": f"{TEST} TO EVALUATE linear, boosted, forest, chosen INTO compared;",
    "final": f"{OLD} {_FINAL};",
    "thresholds": f"{TEST} TO EVALUATE churn WITH evaluate.report = 'thresholds', evaluate.costs = [1, 5] INTO choices;",
    "explain": f"{TEST} TO EXPLAIN churn INTO reasons;",
    "watch": f"{NEW} TO EVALUATE churn INTO watched;",
    "again": f"SELECT {INPUTS}, churned FROM facts WHERE month >= 7 OR customer % 4 > 0 {_FINAL};",
    "watch again": f"{NEW} TO EVALUATE churn INTO watched;",
    "back": "ROLLBACK MODEL churn TO 1;",
}


def check(case, ask):
    """Facts that hold behind the last step in any database; ask(sql): its rows as tuples."""
    compared = ask('SELECT model, "AUC" FROM compared')
    case.assertEqual([model for model, _ in compared], ["linear", "boosted", "forest", "chosen"])
    case.assertTrue(all(0.8 < area < 0.95 for _, area in compared), compared)
    costs = ask("SELECT threshold, cost, recall, precision FROM choices ORDER BY cost, threshold")
    case.assertEqual(len(costs), len(set(costs)))
    case.assertLess(costs[0][0], 0.5)  # a churner who is missed costs five times a false alarm
    case.assertGreater(costs[0][2], costs[0][3])
    reasons = [name for name, in ask("SELECT input FROM reasons ORDER BY importance DESC")]
    case.assertEqual(set(reasons[:2]), {"orders", "calls"})
    case.assertEqual(len(reasons), 8)
    case.assertEqual(ask("SELECT count(*) FROM watched"), [(1,)])
