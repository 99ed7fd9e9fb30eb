SELECT * FROM t TO MINIMIZE SUM(cost * -amount) WITH variables='amount' INTO db.result;
