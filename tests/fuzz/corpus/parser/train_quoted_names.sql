SELECT * FROM "TO TRAIN" TO TRAIN M COLUMN "a ""b""", `c ``d```, [e f], [into] LABEL [the label] INTO "my schema".`my model`;
