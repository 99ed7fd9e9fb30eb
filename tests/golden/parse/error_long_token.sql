SELECT * FROM t TO TRAIN M INTO m 'a very long string that
spans two lines and would fill the whole message';
