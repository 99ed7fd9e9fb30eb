-- query: age INTEGER 90 integers, 10 nulls; city TEXT 100 texts; note VARCHAR(20) 100 texts; survived INTEGER 100 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN VOCABULARY(city, '10') LABEL survived INTO m;
