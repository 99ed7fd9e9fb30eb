SELECT * FROM t TO EXPLAIN m INTO explanations;
