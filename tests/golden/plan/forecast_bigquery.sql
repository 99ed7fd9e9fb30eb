-- query: store TEXT 150 texts; item INTEGER 150 integers; day TEXT 150 texts 150 dates; sales REAL 150 reals
SELECT store, item, day, sales FROM h TO TRAIN ARIMA_PLUS WITH time_series_timestamp_col = 'day', time_series_id_col = ['store', 'item'], horizon = 30, confidence_level = 0.9 LABEL sales INTO m;
