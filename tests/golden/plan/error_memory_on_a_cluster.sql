-- cluster: may
-- query: sepal_length REAL 150 reals; class INTEGER 150 integers
SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [16], job.where = 'kubernetes', job.memory = '1Gi' LABEL class INTO m;
