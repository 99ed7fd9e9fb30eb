-- query: week INTEGER 150 integers; store TEXT 150 texts; sales REAL 140 reals 10 nulls
SELECT week, store, sales FROM h TO TRAIN SeasonalNaive WITH forecast.time = 'week', forecast.group = 'store', forecast.horizon = 8, forecast.season = 52, forecast.duplicates = 'sum' LABEL sales INTO m;
