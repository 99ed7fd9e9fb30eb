-- Prices of diamonds by boosted trees: what most people try first on a table.
--
--     sqlite3 diamonds.db ".import --csv examples/data/diamonds.csv diamonds"
--     build/release/totrain diamonds.db -f examples/sql/trees.sql

-- The plan: how many trees and leaves, how large their histograms are.
EXPLAIN SELECT * FROM diamonds TO TRAIN LGBMRegressor LABEL price INTO prices;

-- LightGBM's defaults by its own names. Cut, color and clarity are words, and need no columns of their own.
SELECT * FROM diamonds
TO TRAIN LGBMRegressor WITH n_estimators = 200, num_leaves = 31, learning_rate = 0.1, early_stopping_round = 10
LABEL price INTO prices;

-- What each round gave, on the rows that were held out.
SHOW TRAIN prices;

-- A price may only rise with the weight.
SELECT * FROM diamonds
TO TRAIN XGBRegressor WITH n_estimators = 50, max_depth = 5, monotone_constraints = '{"carat": 1}'
LABEL price INTO rising;

-- Which columns it goes by.
SELECT * FROM diamonds TO EXPLAIN prices WITH explain.repeats = 2;

-- Scoring is a function like any other.
SELECT cut, color, clarity, carat, price,
       round(totrain_predict('prices', carat, cut, color, clarity, depth, "table", x, y, z)) AS predicted
FROM diamonds LIMIT 5;

-- The model as a file that LightGBM loads.
EXPORT MODEL prices TO 'prices.txt' FORMAT lightgbm;
