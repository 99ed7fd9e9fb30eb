-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; class INTEGER 150 integers
-- model: iris_model DNNClassifier classification; label class integer; inputs sepal_width numeric, sepal_length numeric
EXPLAIN SELECT * FROM iris TO PREDICT other.p.kind WITH job.max_workers = 4, predict.bad_rows = quarantine, predict.extra_outputs = 'probability' USING iris_model;
