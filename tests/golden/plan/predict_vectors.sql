-- dialect: postgres
-- model: m DNNClassifier classification; label class integer; inputs v[1] numeric, v[2] numeric
-- query: v numeric[] 150 vectors, 2 elements
SELECT * FROM t TO PREDICT p.class USING m;
