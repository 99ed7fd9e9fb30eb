-- query: workclass TEXT 1000 texts; education TEXT 1000 texts; occupation TEXT 1000 texts; race TEXT 1000 texts; sex TEXT 1000 texts; age INTEGER 1000 integers; capital_gain INTEGER 1000 integers; hours INTEGER 1000 integers; tags TEXT 1000 texts; label INTEGER 1000 integers
SELECT * FROM t TO TRAIN DNNClassifier WITH model.hidden_units = [8] COLUMN EMBEDDING(CONCAT(race), 8) LABEL label INTO m;
