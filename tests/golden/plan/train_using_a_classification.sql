-- query: a REAL 150 reals; b TEXT 150 texts; y REAL 150 reals
-- model: old XGBClassifier classification; label y real; inputs b category, a numeric
SELECT * FROM t TO TRAIN xgboost.gbtree LABEL y USING old INTO m;
