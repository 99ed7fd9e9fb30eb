-- query: active TEXT 500 texts, 500 truths; x REAL 500 reals; left TEXT 500 texts, 490 truths, 10 blank; Paid TEXT 500 texts, 500 truths; y INTEGER 500 integers
SELECT * FROM imported TO TRAIN LinearClassifier LABEL y INTO m;
