-- dialect: postgres
-- query: v numeric[] 150 vectors; x float8 150 reals; class integer 150 integers
SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [16] LABEL class INTO m;
