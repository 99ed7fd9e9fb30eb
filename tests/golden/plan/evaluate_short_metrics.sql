-- query: sepal_length REAL 150 reals; class INTEGER 150 integers
-- model: m LinearClassifier classification; label class integer; inputs sepal_length numeric
SELECT * FROM iris TO EVALUATE m WITH metrics = 'Accuracy,Recall';
