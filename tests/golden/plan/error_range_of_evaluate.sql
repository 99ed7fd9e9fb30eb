-- query: a REAL 150 reals; class INTEGER 150 integers
-- model: m DNNClassifier classification; label class integer; inputs a numeric
SELECT * FROM iris TO EVALUATE m WITH threshold = RANGE(0.1, 0.5);
