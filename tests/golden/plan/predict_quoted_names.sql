-- query: "a b" VARCHAR(10) 5 texts; A REAL 5 reals
-- model: my.model LinearClassifier classification; label y text; inputs a numeric
SELECT * FROM t TO PREDICT USING "my.model";
