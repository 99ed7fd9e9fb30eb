-- query: age INTEGER 1000 integers; years REAL 1000 reals; claims INTEGER 1000 integers 1000 counted 5 different
SELECT age, years, claims FROM p TO TRAIN LinearRegressor WITH offset = 'years', model.loss = 'poisson' LABEL claims INTO m;
