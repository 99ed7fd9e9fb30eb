"""forecast_peer.py DB TABLE SERIES MODEL SEASON HORIZON

What a user would write instead of a TO TRAIN statement: read the first series of the table with pandas and forecast
them with statsforecast, on one processor. Prints the processor's seconds as JSON, without those of compiling.
"""

import json
import sqlite3
import sys
import time
import warnings

import pandas
from statsforecast import StatsForecast, models


def main():
    path, table, series, model, season, horizon = sys.argv[1:7]
    warnings.filterwarnings("ignore")
    with sqlite3.connect(path) as database:
        frame = pandas.read_sql(f'SELECT series AS unique_id, at AS ds, y FROM "{table}" WHERE series < ?', database,
                                params=[int(series)])
    frame["ds"] = pandas.to_datetime(frame["ds"])
    forecaster = StatsForecast([getattr(models, model)(season_length=int(season))],
                               freq="MS" if int(season) == 12 else "D", n_jobs=1)
    forecaster.forecast(df=frame[frame.unique_id < 2], h=int(horizon), level=[95])
    begin = time.process_time()
    made = forecaster.forecast(df=frame, h=int(horizon), level=[95])
    print(json.dumps({"seconds": time.process_time() - begin, "rows": len(made)}))


main()
