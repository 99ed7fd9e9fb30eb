-- query: signup TEXT 150 texts, 150 dates; x REAL 150 reals; bad INTEGER 150 integers
SELECT * FROM t TO TRAIN ScoreCard LABEL bad INTO card;
