-- query: rooms INTEGER 150 integers; distance REAL 150 reals; "floor" INTEGER 150 integers; rent REAL 150 reals
SELECT * FROM flats TO TRAIN LGBMRegressor WITH mc = '1,-1,0', interaction_constraints = '[0,1],[0,2]' LABEL rent INTO m;
