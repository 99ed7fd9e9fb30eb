-- query: age REAL 150 reals; plan TEXT 150 texts; bad INTEGER 150 integers
SELECT * FROM t TO TRAIN sqlflow_models.ScoreCard WITH model.pf_bin_size = 5, pdo = 40 LABEL bad INTO card;
