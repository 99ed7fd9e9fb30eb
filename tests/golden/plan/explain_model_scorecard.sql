-- query: age REAL 150 reals; plan TEXT 150 texts; bad INTEGER 150 integers
-- model: card ScoreCard classification; label bad integer classes 0 1; inputs age numeric, plan category
SELECT * FROM t TO EXPLAIN card USING scorecard;
