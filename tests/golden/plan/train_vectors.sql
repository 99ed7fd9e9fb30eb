-- dialect: postgres
-- query: v numeric[] 150 vectors, 3 elements; w int[] 140 vectors, 10 nulls, 2 elements; x float8 150 reals; class integer 150 integers
SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [16] LABEL class INTO m;
