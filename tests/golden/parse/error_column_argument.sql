SELECT * FROM t TO TRAIN LinearClassifier COLUMN BUCKET(age, num_buckets = ) LABEL y INTO m;
