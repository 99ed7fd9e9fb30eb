SELECT * FROM t TO TRAIN LinearClassifier COLUMN DENSE(v, 4, ','), SPARSE(s, 100, " ", int, ':'), WEIGHTED_CATEGORY(SPARSE(w, 10)), NOW() LABEL y INTO m;
