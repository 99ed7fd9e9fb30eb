-- query: a TEXT 150 texts; b TEXT 150 texts; c TEXT 150 texts; d TEXT 150 texts; e TEXT 150 texts; f TEXT 150 texts; g TEXT 150 texts; h TEXT 150 texts; i TEXT 150 texts; day TEXT 150 texts 150 dates; y REAL 150 reals
SELECT * FROM t TO TRAIN Forecast WITH forecast.time = 'day', forecast.group = 'a, b, c, d, e, f, g, h, i', forecast.horizon = 7 LABEL y INTO m;
