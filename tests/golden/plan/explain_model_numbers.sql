-- query: a REAL 150 reals; b REAL 150 reals; y REAL 150 reals
-- model: m LinearRegressor regression; label y real; inputs a numeric, b numeric
SELECT * FROM t TO EXPLAIN m WITH explain.seed = 3, summary.plot_type = bar;
