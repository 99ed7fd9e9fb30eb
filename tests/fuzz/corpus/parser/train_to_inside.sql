SELECT "to", t.to, (SELECT 1 TO), 'x TO TRAIN y', $$ TO TRAIN; $$, $q$ TO $$ ; $q$, `to`, [to train], E'it\'s TO' FROM t TO TRAIN M INTO m;
