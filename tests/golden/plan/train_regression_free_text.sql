-- query: x REAL 500 reals; note TEXT 500 texts, 500 counted, 400 different, 40000 bytes, 480 spaced; y REAL 500 reals
SELECT * FROM t TO TRAIN OLS LABEL y INTO m;
