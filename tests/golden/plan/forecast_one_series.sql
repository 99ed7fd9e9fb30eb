-- query: day TEXT 150 texts 150 dates; sales REAL 150 reals
SELECT day, sales FROM h TO TRAIN AutoETS WITH forecast.time = 'day', forecast.horizon = 14 LABEL sales INTO m;
