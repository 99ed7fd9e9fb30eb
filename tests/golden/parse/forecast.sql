FORECAST m; FORECAST sales."my model" FOR 28 WITH forecast.level = 0.9, predict.replace = true INTO sales.coming;
forecast forecast for '3' into t; FORECAST "m" FOR 7 INTO t; FORECAST model WITH level = 0.5;
SELECT * FROM t TO TRAIN Forecast WITH forecast.time = 'day' LABEL forecast USING forecast INTO forecast; SELECT forecast FROM forecast;
