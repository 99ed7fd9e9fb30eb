/* first; */ -- second; TO
SELECT /* TO TRAIN x */ a, -- TO PREDICT
 b FROM t -- all of them
TO /* here */ TRAIN -- there
 M /* x */ WITH a -- name
 = /* value */ 1 INTO m -- done
;
