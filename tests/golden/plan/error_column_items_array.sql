-- dialect: postgres
-- query: v numeric[] 150 vectors, 3 elements; y integer 150 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN CATEGORY_ID(v, 5, ',') LABEL y INTO m;
