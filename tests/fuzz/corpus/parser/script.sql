CREATE TABLE t(a, b);
INSERT INTO t VALUES (1, 'x; y'), (2, 'TO TRAIN');

SELECT * FROM t TO TRAIN M LABEL b INTO m;
;; -- nothing
SELECT totrain_predict('m', a) FROM t;
BEGIN; ROLLBACK; ROLLBACK TO here; SHOW search_path; EXPLAIN SELECT 1; SELECT 1 AS to;
