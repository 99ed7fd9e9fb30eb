-- query: store TEXT 150 texts; item INTEGER 150 integers; day TEXT 150 texts 150 dates; sales REAL 150 reals
SELECT store, item, day, sales FROM h TO TRAIN ARIMA WITH forecast.time = 'day', forecast.group = 'store, item', forecast.horizon = 14, forecast.order = [1, 1, 1], forecast.seasonal_order = [1, 0, 0], forecast.season = 7 LABEL sales INTO m;
