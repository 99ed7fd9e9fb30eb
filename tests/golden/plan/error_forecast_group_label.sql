-- query: store TEXT 150 texts; item INTEGER 150 integers; day TEXT 150 texts 150 dates; sales REAL 150 reals
SELECT store, item, day, sales FROM h TO TRAIN Forecast WITH forecast.time = 'day', forecast.group = 'sales', forecast.horizon = 7 LABEL sales INTO m;
