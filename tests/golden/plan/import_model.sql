-- schemas: main
-- model: m XGBClassifier classification; label class integer; inputs a numeric, b numeric
IMPORT MODEL main.theirs FROM 'model.txt' FORMAT lightgbm;
