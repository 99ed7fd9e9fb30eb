-- query: a INTEGER 10 integers; kind TEXT 10 texts, 10 numeric
SELECT a, kind FROM t TO TRAIN LinearClassifier LABEL kind INTO m;
