-- query: signup TEXT 150 texts 150 dates; "signup.age" REAL 150 reals; y INTEGER 150 integers
SELECT * FROM t TO TRAIN LinearClassifier LABEL y INTO m;
