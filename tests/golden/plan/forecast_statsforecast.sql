-- query: store TEXT 150 texts; item INTEGER 150 integers; day TEXT 150 texts 150 dates; sales REAL 150 reals
SELECT store, item, day, sales FROM h TO TRAIN MSTL WITH forecast.ds = 'day', forecast.unique_id = 'store', forecast.h = 14, forecast.season_length = [7, 28], forecast.duplicates = 'mean' LABEL sales INTO m;
