-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; class INTEGER 150 integers
-- model: iris_model DNNClassifier classification; label class integer; inputs sepal_width numeric, sepal_length category
-- file: /data/shop.db
EXPLAIN SELECT * FROM iris TO PREDICT p.class WITH job.wait = 0, job.max_workers = 2.0 USING main.iris_model;
