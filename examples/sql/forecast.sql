-- What will each shop sell in the next two weeks? To be run each night, on the receipts as they are then.
--
--     build/release/totrain shops.db -c ".import examples/data/sales.csv receipts"
--     build/release/totrain shops.db -f examples/sql/forecast.sql

-- One row for each day of a shop; a day without a row is one without sales.
CREATE VIEW IF NOT EXISTS sales_by_day AS
  SELECT shop, day, sum(amount) AS sales FROM receipts GROUP BY shop, day;

SELECT shop, day, sales FROM sales_by_day
TO TRAIN Forecast
WITH forecast.time = 'day', forecast.group = 'shop', forecast.horizon = 14, forecast.gaps = 'zero'
LABEL sales
INTO sales_model;

-- A table that applications read, made anew; four of five days are to lie within the bounds.
FORECAST sales_model FOR 7
WITH forecast.level = 0.8
INTO next_week;

SELECT shop, round(sum(sales)) AS expected FROM next_week GROUP BY shop ORDER BY shop;

-- The same from the model itself, with the greatest day of each shop; for joins and views.
SELECT series AS shop, round(sum(value)) AS expected, round(max(value)) AS greatest_day
FROM totrain_forecast('sales_model', 7) GROUP BY series ORDER BY series;

-- Steps and seasons that were found, and the errors of the last two weeks when they were forecast from those before.
SHOW MODEL sales_model;
