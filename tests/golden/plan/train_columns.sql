-- query: survived INTEGER 891 integers; pclass INTEGER 891 integers; sex TEXT 891 texts; age REAL 714 reals, 177 nulls; fare REAL 891 reals; embarked TEXT 889 texts, 2 nulls
SELECT * FROM titanic TO TRAIN DNNClassifier WITH model.hidden_units = 8
COLUMN age, NUMERIC(fare), VOCABULARY(pclass, 3), INDICATOR(VOCABULARY(sex)), 'emb.*' LABEL survived INTO m;
