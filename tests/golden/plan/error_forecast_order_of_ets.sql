-- query: store TEXT 150 texts; item INTEGER 150 integers; day TEXT 150 texts 150 dates; sales REAL 150 reals
SELECT store, item, day, sales FROM h TO TRAIN AutoETS WITH forecast.time = 'day', forecast.horizon = 7, forecast.order = [1, 0, 0] LABEL sales INTO m;
