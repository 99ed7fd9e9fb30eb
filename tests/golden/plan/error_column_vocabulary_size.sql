-- query: survived INTEGER 891 integers; pclass INTEGER 891 integers; sex TEXT 891 texts; age REAL 714 reals, 177 nulls; fare REAL 891 reals; embarked TEXT 889 texts, 2 nulls
SELECT * FROM titanic TO TRAIN LinearClassifier COLUMN VOCABULARY(sex, 0) LABEL survived INTO m;
