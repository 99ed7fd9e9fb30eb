-- query: v TEXT 1000 texts 1000 listed 3 numbers; s TEXT 990 texts 990 listed 12 ids 10 nulls; p TEXT 1000 texts 1000 listed 2 numbers 1000 plain; big TEXT 1000 texts 1000 listed 5000 ids; w TEXT 1000 texts 1000 listed 2 numbers 5 most; k TEXT 1000 texts 1000 listed 9 ids 400 alone; y INTEGER 1000 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN SPARSE(big, 10000001) LABEL y INTO m;
