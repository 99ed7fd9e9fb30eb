-- query: a REAL 150 reals; b REAL 150 reals; kind TEXT 150 texts
-- model: m LinearClassifier classification; label kind text classes fraud legit; inputs a numeric, b numeric
SELECT * FROM t TO EVALUATE m WITH report = 'roc', costs = [1, 20];
