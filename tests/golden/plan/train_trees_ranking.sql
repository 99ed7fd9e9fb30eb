-- query: price REAL 500 reals; words INTEGER 500 integers; query INTEGER 500 integers; relevance INTEGER 500 integers
SELECT * FROM found TO TRAIN XGBRanker WITH qid = 'query', lambdarank_pair_method = mean, n_estimators = 20 LABEL relevance INTO m;
