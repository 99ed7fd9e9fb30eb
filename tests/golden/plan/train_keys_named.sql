-- query: id INTEGER 500 integers, 500 counted, 500 different; email TEXT 500 texts, 500 counted, 499 different, 9000 bytes; x REAL 500 reals; y INTEGER 500 integers
SELECT * FROM customers TO TRAIN LinearClassifier COLUMN id, x LABEL y INTO m;
