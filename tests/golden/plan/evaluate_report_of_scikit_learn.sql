-- query: f REAL 150 reals; kind TEXT 150 texts
-- model: m XGBClassifier classification; label kind text classes a b; inputs f numeric
SELECT * FROM t TO EVALUATE m WITH report = 'roc_curve';
