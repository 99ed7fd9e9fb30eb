WITH recent AS (SELECT * FROM t WHERE day > date('now')), r2(x) AS (SELECT 1) SELECT * FROM recent, r2 TO TRAIN M LABEL y INTO m;
