-- query: a REAL 150 reals; b REAL 150 reals
-- model: m XGBClassifier classification; label kind text classes fraud legit; inputs a numeric, b numeric
SELECT * FROM t TO EXPLAIN m WITH summary.plot_type = "dot" INTO s;
