SELECT * FROM t TO TRAIN LinearClassifier COLUMN *, 'sepal_.*', INDICATOR(CATEGORY_ID("f10|f9|f4", 1000)), CROSS(['a', b], 10), BUCKET(x, [0., 1., 2.5]) LABEL y INTO m;
