-- query: city TEXT 150 texts; survived INTEGER 150 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN ONE_HOT(city) LABEL survived INTO m;
