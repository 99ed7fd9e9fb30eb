SELECT * FROM t TO TRAIN M WITH a='it\'s', b="tab\there", c='line\nbreak', d='back\\slash', e='\d+', f='say "so"; TO TRAIN' INTO m;
