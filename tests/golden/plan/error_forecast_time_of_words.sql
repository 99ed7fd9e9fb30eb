-- query: month TEXT 150 texts; sales REAL 150 reals
SELECT month, sales FROM h TO TRAIN Forecast WITH forecast.time = 'month', forecast.horizon = 7 LABEL sales INTO m;
