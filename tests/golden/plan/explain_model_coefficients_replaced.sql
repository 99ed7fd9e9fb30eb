-- query: a REAL 150 reals; b REAL 150 reals; y REAL 150 reals
-- model: m OLS regression; label y real; inputs a numeric, b numeric
SELECT * FROM t TO EXPLAIN m WITH evaluate.replace = true USING coefficients INTO c;
