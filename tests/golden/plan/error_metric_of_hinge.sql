-- query: x REAL 150 reals; z REAL 150 reals; y REAL 150 reals; class INTEGER 150 integers
SELECT x, z, class FROM t TO TRAIN LinearClassifier WITH loss = 'hinge', validation.metrics = 'LogLoss' LABEL class INTO m;
