-- query: age INTEGER 1000 integers; years REAL 1000 reals; claims INTEGER 1000 integers 1000 counted 5 different
SELECT * FROM policies TO TRAIN XGBRegressor WITH objective = 'count:poisson', exposure = 'years' LABEL claims INTO m;
