-- What is a diamond worth? 54,000 rows of numbers and words.
--
--     sqlite3 diamonds.db ".import --csv examples/data/diamonds.csv diamonds"
--     build/release/totrain diamonds.db -f examples/sql/diamonds.sql

SELECT * FROM diamonds
TO TRAIN DNNRegressor
WITH model.hidden_units = [64, 32], train.epoch = 10, train.test_size = 0.1,
     validation.metrics = 'RMSE,MAE,R2'
LABEL price
INTO diamond_price;

-- Where is the model furthest off?
SELECT cut, color, clarity, carat, price, round(predicted) AS predicted
FROM (SELECT *, totrain_predict('diamond_price', carat, cut, color, clarity, depth, "table", x, y, z)
             AS predicted FROM diamonds)
ORDER BY abs(predicted - price) DESC
LIMIT 5;
