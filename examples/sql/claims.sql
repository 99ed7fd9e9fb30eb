-- How many claims does a policy have in a year? Claims are counted of as long as it was held: its exposure.
--
--     build/release/totrain claims.db -f examples/sql/claims.sql

-- Policies of a month to two years. The young have three times as many claims in a year, and cars more than vans.
CREATE TABLE policies AS
WITH RECURSIVE number(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM number WHERE i < 5999),
  held(i, age, kind, years) AS (
    SELECT i, 18 + i * 37 % 60, CASE i / 60 % 3 WHEN 0 THEN 'van' ELSE 'car' END, (1 + i * 71 % 24) / 12.0 FROM number)
SELECT age, kind, years, CAST(years * CASE WHEN age < 30 THEN 1.5 ELSE 0.5 END
  * CASE kind WHEN 'car' THEN 1.2 ELSE 0.6 END + (i * 7919 % 1000) / 1000.0 AS INTEGER) AS claims
FROM held;

-- exposure = 'years': its logarithm is where each row's score begins. It is not used as a feature.
SELECT * FROM policies
TO TRAIN XGBRegressor
WITH objective = 'count:poisson', exposure = 'years', n_estimators = 50, max_depth = 3
LABEL claims
INTO claims_of_trees;

-- The same by a linear model; its weights are logarithms of rates.
SELECT * FROM policies
TO TRAIN LinearRegressor
WITH model.loss = 'poisson', exposure = 'years'
LABEL claims
INTO claims_of_line;

SELECT name, round(exp(value), 2) AS factor FROM claims_of_line WHERE part = 'weight';

-- PREDICT needs the exposure, too: 1 is a rate a year.
SELECT DISTINCT age, kind, 1.0 AS years FROM policies WHERE age IN (20, 50)
TO PREDICT rates.a_year
USING claims_of_trees;

SELECT age, kind, round(a_year, 2) AS a_year FROM rates ORDER BY age, kind;

-- What was expected of all policies, beside what came.
SELECT sum(claims) AS claims, round(sum(totrain_predict('claims_of_trees', age, kind, years))) AS expected FROM policies;
