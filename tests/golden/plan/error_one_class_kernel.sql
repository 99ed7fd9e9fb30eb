-- query: a REAL 150 reals; b REAL 150 reals
SELECT * FROM t TO TRAIN OneClassSVM WITH kernel = 'poly' INTO m;
