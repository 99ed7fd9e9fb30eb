CANCEL JOB 17; CANCEL JOB 'abc-17'; ROLLBACK MODEL m TO 3; rollback model s.m to '4'; EXPORT MODEL m TO 'm.onnx' FORMAT onnx; EXPORT MODEL m TO "m.c"; REPORT MODEL m TO 'card.md' FORMAT markdown;
