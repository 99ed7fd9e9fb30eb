-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; class INTEGER 150 integers
-- model: iris_model DNNClassifier classification; label class integer; inputs sepal_width numeric, sepal_length category
-- file: /data/shop.db
SELECT * FROM iris TO EVALUATE iris_model WITH evaluate.bad_rows = 'quarantine', job.wait = false LABEL class INTO e;
