-- query: id INTEGER 9 integers; a REAL 9 reals; id INTEGER 9 integers; y INTEGER 9 integers
SELECT * FROM t JOIN u USING (k) TO TRAIN LinearClassifier LABEL y INTO m;
