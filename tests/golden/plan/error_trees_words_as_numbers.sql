-- query: carat REAL 1000 reals; cut TEXT 1000 texts 1000 counted 5 different; price INTEGER 1000 integers 1000 counted 640 different
SELECT * FROM diamonds TO TRAIN LGBMRegressor LABEL cut INTO m;
