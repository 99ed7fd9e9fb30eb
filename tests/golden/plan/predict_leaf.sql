-- query: a REAL 150 reals; b REAL 150 reals
-- model: m XGBClassifier classification; label class integer; inputs a numeric, b numeric
SELECT * FROM t TO PREDICT p.class WITH predict.extra_outputs = ['leaf', 'probability'] USING m;
