-- query: rooms INTEGER 150 integers; rent REAL 150 reals
SELECT * FROM flats TO TRAIN DNNRegressor WITH model.hidden_units = [8], monotone_constraints = '(1)' LABEL rent INTO m;
