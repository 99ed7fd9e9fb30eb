-- schemas: main
-- model: m XGBClassifier classification leaves; label class integer; inputs a numeric, b numeric
EXPORT MODEL m TO 'm' FORMAT LightGBM;
