-- query: sepal_length REAL 150 reals; class INTEGER 150 integers
-- model: iris_model DNNClassifier classification; label class integer; inputs sepal_length numeric
-- memory: 2899102925 of 536870912
EXPLAIN SELECT * FROM iris TO PREDICT USING iris_model;
