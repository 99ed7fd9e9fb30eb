-- dialect: postgres
-- query: x float8 150 reals; class integer 150 integers
SELECT * FROM t TO TRAIN LinearClassifier WITH log.tensorboard = '/var/runs' LABEL class INTO m;
