-- query: signup TEXT 150 texts 140 dates 120 times 10 blank; born TEXT 140 texts 140 dates, 10 nulls; x REAL 150 reals; y INTEGER 150 integers
SELECT * FROM t TO TRAIN LinearClassifier LABEL y INTO m;
