-- query: id INTEGER 891 integers; Sex TEXT 891 texts; age REAL 714 reals, 177 nulls; fare REAL 891 reals; tmp_a REAL 891 reals; tmpx REAL 891 reals; tmp_é REAL 891 reals; survived INTEGER 891 integers
SELECT * FROM t TO TRAIN DNNClassifier COLUMN * EXCEPT (survived, id, sex, LIKE 'TMP\__'), VOCABULARY(sex) LABEL survived INTO m;
