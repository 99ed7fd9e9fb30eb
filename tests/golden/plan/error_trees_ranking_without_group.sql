-- query: price REAL 500 reals; relevance INTEGER 500 integers
SELECT * FROM found TO TRAIN LGBMRanker LABEL relevance INTO m;
