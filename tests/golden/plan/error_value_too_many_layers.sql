-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; petal_length REAL 150 reals; petal_width REAL 150 reals; class INTEGER 150 integers
SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17] LABEL class INTO m;
