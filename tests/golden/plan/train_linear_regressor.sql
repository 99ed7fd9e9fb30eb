-- query: carat REAL 1000 reals; cut TEXT 1000 texts; price INTEGER 1000 integers
SELECT carat, cut, price FROM diamonds TO TRAIN linearregressor WITH optimizer = SGD, optimizer.momentum = 0.8 LABEL PRICE INTO main.price_model;
