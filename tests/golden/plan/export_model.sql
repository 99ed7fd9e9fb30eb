-- schemas: main
-- model: m XGBClassifier classification; label class integer; inputs a numeric, b numeric
EXPORT MODEL main.m TO 'a file.ubj';
