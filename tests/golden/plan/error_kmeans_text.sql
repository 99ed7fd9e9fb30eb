-- query: x REAL 150 reals; note TEXT 150 texts; v TEXT 150 texts; y INTEGER 150 integers
SELECT x, note FROM t TO TRAIN KMeans WITH model.n_clusters = 3 COLUMN x, TEXT(note) INTO m;
