-- query: v TEXT 1000 texts; s TEXT 990 texts 10 nulls; age INTEGER 1000 integers; y INTEGER 1000 integers
SELECT * FROM t TO TRAIN DeepFMClassifier COLUMN EMBEDDING(WEIGHTED_CATEGORY(CATEGORY_HASH(SPARSE(v, 10, ",", "int", ":", "float"), 10)), 32), EMBEDDING(SPARSE(s, [1000000]), 32, "sum"), EMBEDDING(CATEGORY_ID(s, 15033, COMMA), 32, sqrtn), EMBEDDING(TEXT(v), 32, mean) LABEL y INTO m;
