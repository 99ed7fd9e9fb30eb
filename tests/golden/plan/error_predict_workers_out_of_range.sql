-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; class INTEGER 150 integers
-- model: iris_model DNNClassifier classification; label class integer; inputs sepal_width numeric, sepal_length category
SELECT * FROM iris TO PREDICT p.class WITH job.max_workers = 2000 USING iris_model;
