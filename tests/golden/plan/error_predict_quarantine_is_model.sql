-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; class INTEGER 150 integers
-- model: p_bad_rows DNNClassifier classification; label class integer; inputs sepal_length numeric, sepal_width numeric
SELECT * FROM iris TO PREDICT p.class WITH predict.bad_rows = 'quarantine' USING p_bad_rows;
