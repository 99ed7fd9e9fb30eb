-- query: a REAL 150 reals; b REAL 150 reals
-- model: m LinearClassifier classification; label kind text classes fraud legit; inputs a numeric, b numeric
SELECT * FROM t TO EXPLAIN m WITH summary.plot_type = "bar", summary.alpha = 1, summary.sort = False, summary.max_display = 1 USING LinearExplainer;
