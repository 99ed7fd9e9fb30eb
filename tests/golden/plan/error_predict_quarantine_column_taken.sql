-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; totrain_reason TEXT 150 texts
-- model: iris_model DNNClassifier classification; label class integer; inputs sepal_length numeric, sepal_width numeric
SELECT * FROM p_bad_rows TO PREDICT p.class WITH predict.bad_rows = 'quarantine' USING iris_model;
