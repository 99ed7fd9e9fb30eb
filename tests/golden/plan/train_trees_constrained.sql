-- query: rooms INTEGER 150 integers; distance REAL 150 reals; "floor" INTEGER 150 integers; city TEXT 150 texts; rent REAL 150 reals
SELECT * FROM flats TO TRAIN XGBRegressor WITH monotone_constraints = '{"rooms": 1, "distance": -1}', interaction_constraints = '[[rooms, city], [city, distance]]' LABEL rent INTO m;
