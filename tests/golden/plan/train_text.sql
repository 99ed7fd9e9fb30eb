-- query: x REAL 150 reals; note TEXT 150 texts; v TEXT 150 texts; y INTEGER 150 integers
SELECT * FROM t TO TRAIN DNNClassifier WITH model.hidden_units = [8] COLUMN *, TEXT(note), TEXT(v, 100, 20) LABEL y INTO m;
