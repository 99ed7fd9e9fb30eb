-- query: a REAL 150 reals; b REAL 150 reals; y REAL 150 reals
SELECT * FROM t TO TRAIN OLS WITH train.epoch = 3 LABEL y INTO m;
