-- cluster: may
-- query: sepal_length REAL 150 reals; class INTEGER 150 integers
SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [16], job.where = 'kubernetes', job.image = 'gpu', job.priority = 'low', job.worker_cpu = 0.5, job.worker_memory = '1Gi', job.max_workers = 4 LABEL class INTO m;
