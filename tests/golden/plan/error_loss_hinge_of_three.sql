-- query: x REAL 150 reals; z REAL 150 reals; y REAL 150 reals; class INTEGER 150 integers
SELECT x, z, class FROM t TO TRAIN DNNClassifier WITH model.n_classes = 3, loss = 'squared_hinge' LABEL class INTO m;
