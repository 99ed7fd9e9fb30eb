-- query: store TEXT 150 texts; item INTEGER 150 integers; day TEXT 150 texts 150 dates; sales REAL 150 reals
SELECT store, item, day, sales FROM h TO TRAIN Theta WITH forecast.time = 'day', forecast.horizon = 7, forecast.method = 'ets' LABEL sales INTO m;
