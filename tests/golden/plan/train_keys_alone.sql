-- query: id INTEGER 500 integers, 500 counted, 500 different; y INTEGER 500 integers
SELECT id, y FROM customers TO TRAIN LinearClassifier LABEL y INTO m;
