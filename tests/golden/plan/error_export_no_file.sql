-- schemas: main
-- model: m XGBClassifier classification; label class integer; inputs a numeric, b numeric
EXPORT MODEL m TO '';
