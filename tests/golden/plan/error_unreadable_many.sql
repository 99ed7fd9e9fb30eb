-- dialect: postgres
-- query: a01 interval 150 blobs; a02 interval 150 blobs; a03 interval 150 blobs; a04 interval 150 blobs; a05 interval 150 blobs; a06 interval 150 blobs; a07 interval 150 blobs; a08 interval 150 blobs; a09 interval 150 blobs; a10 interval 150 blobs; a11 interval 150 blobs; a12 interval 150 blobs; y integer 150 integers
SELECT * FROM t TO TRAIN LinearClassifier LABEL y INTO m;
