-- Which flowers lie together? Three clusters of four numbers, without a label.
--
--     sqlite3 iris.db ".import --csv examples/data/iris.csv iris"
--     build/release/totrain iris.db -f examples/sql/clusters.sql

SELECT sepal_length, sepal_width, petal_length, petal_width FROM iris
TO TRAIN KMeans
WITH model.n_clusters = 3
INTO iris_clusters;

SELECT * FROM iris
TO PREDICT iris_clustered.cluster
WITH predict.extra_outputs = 'score'
USING iris_clusters;

SELECT class, cluster, count(*) AS flowers, round(avg(score), 3) AS mean_distance
FROM iris_clustered GROUP BY class, cluster ORDER BY class, cluster;

SELECT * FROM iris TO EVALUATE iris_clusters WITH validation.metrics = 'Inertia,Silhouette';

SHOW MODEL iris_clusters;
