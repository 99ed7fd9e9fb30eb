-- query: sepal_length REAL 150 reals; class INTEGER 150 integers
SELECT * FROM iris TO TRAIN LinearClassifier WITH model.n_clusters = 3 LABEL class INTO m;
