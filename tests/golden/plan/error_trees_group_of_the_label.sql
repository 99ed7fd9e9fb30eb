-- query: rooms INTEGER 150 integers; city TEXT 150 texts; rent REAL 150 reals
SELECT * FROM flats TO TRAIN XGBRegressor WITH interaction_constraints = '[[rooms], [city, rent]]' LABEL rent INTO m;
