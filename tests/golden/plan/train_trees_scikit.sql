-- query: carat REAL 1000 reals; cut TEXT 1000 texts 1000 counted 5 different; price INTEGER 1000 integers 1000 counted 640 different
SELECT * FROM diamonds TO TRAIN HistGradientBoostingRegressor WITH max_iter = 300, max_leaf_nodes = 15, min_samples_leaf = 5, l2_regularization = 1, loss = 'poisson', max_bins = 128 LABEL price INTO m;
