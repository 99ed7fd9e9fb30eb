-- query: carat REAL 1000 reals; cut TEXT 1000 texts 1000 counted 5 different; price INTEGER 1000 integers 1000 counted 640 different
SELECT * FROM diamonds TO TRAIN XGBRegressor WITH n_estimators = 50, max_depth = 4, reg_alpha = 1, min_split_loss = 0.5, tree_method = 'hist', booster = 'gbtree', base_score = -1, eval_metric = 'rmse' LABEL price INTO m;
