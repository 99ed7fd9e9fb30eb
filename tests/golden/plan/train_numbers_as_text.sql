-- query: amount TEXT 100 texts, 100 numeric; zip TEXT 100 texts, 80 numeric; mixed 40 integers, 60 texts; y INTEGER 100 integers
SELECT * FROM imported TO TRAIN LinearClassifier LABEL y INTO m;
