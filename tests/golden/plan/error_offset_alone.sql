-- query: years REAL 150 reals; claims INTEGER 150 integers
SELECT years, claims FROM t TO TRAIN XGBRegressor WITH offset = 'years' LABEL claims INTO m;
