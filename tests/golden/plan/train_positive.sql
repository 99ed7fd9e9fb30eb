-- query: a REAL 150 reals; kind TEXT 150 texts
SELECT * FROM t TO TRAIN LinearClassifier WITH model.positive = 'fraud', validation.average = 'weighted' LABEL kind INTO m;
