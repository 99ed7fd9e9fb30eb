-- query: age TEXT 90 texts, 80 numeric, 10 blank; fare REAL 60 reals, 40 texts, 40 blank; note TEXT 100 texts, 100 blank; deck TEXT 90 texts, 20 blank, 10 nulls; y INTEGER 100 integers
SELECT * FROM imported TO TRAIN LinearClassifier LABEL y INTO m;
