-- query: rooms INTEGER 150 integers; city TEXT 150 texts; rent REAL 150 reals
SELECT * FROM flats TO TRAIN XGBRegressor WITH monotone_constraints = '(1, -1)' LABEL rent INTO m;
