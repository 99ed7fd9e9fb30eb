-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; petal_length REAL 150 reals; petal_width REAL 150 reals; class INTEGER 150 integers
SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [16], job.records_per_task = 100 LABEL class INTO m;
