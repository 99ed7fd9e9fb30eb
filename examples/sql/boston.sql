-- House prices, and which of them the model would ask.
--
--     sqlite3 boston.db ".import --csv examples/data/boston.csv boston"
--     build/release/totrain boston.db -f examples/sql/boston.sql

SELECT * FROM boston WHERE rowid % 5 > 0
TO TRAIN LinearRegressor
WITH train.epoch = 100, train.batch_size = 32,
     validation.select = 'SELECT * FROM boston WHERE rowid % 5 = 0',
     validation.metrics = 'RMSE,R2'
LABEL medv
INTO house_price;

SELECT name, round(value, 4) AS per_unit FROM house_price WHERE part = 'weight';

SELECT * FROM boston WHERE rowid % 5 = 0 TO PREDICT asked.medv USING house_price;

SELECT count(*) AS houses, round(avg(medv), 2) AS mean_price FROM asked;
