-- cluster: may
-- query: sepal_length REAL 150 reals; class INTEGER 150 integers
SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [1024, 1024], job.where = 'kubernetes', job.worker_memory = '16Mi' LABEL class INTO m;
