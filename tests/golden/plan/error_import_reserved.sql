-- schemas: main
-- model: m XGBClassifier classification; label class integer; inputs a numeric, b numeric
IMPORT MODEL totrain_m FROM 'm.json';
