-- query: price TEXT 500 texts, 300 numeric, 180 separated, 20 missing; active TEXT 500 texts, 490 truths, 10 blank; odd TEXT 500 texts, 400 truths; few 495 reals, 5 texts; many 400 reals, 100 texts; zip TEXT 500 texts, 495 numeric, 5 codes; y INTEGER 500 integers
SELECT * FROM imported TO TRAIN LinearClassifier LABEL y INTO m;
