-- query: age INTEGER 1000 integers; price TEXT 1000 texts 990 separated 10 missing; site TEXT 1000 texts; y INTEGER 1000 integers
SELECT age, price FROM t TO TRAIN KMeans WITH model.n_clusters = 2 COLUMN BUCKET(age, 4) INTO m;
