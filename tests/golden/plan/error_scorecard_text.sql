-- query: x REAL 150 reals; note TEXT 150 texts; bad INTEGER 150 integers
SELECT * FROM t TO TRAIN ScoreCard COLUMN x, TEXT(note) LABEL bad INTO card;
