-- Columns of every type that makes sense.
\pset format unaligned
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN positive AS integer CHECK (VALUE > 0);
CREATE TABLE types AS
  SELECT g::smallint AS int2, g AS int4, g::bigint * 3 AS int8, (g / 7.0)::real AS float4, (g / 3.0)::double precision AS float8,
         (g / 9.0)::numeric(12, 4) AS numeric, g % 3 = 0 AS bool, 'text ' || g % 5 AS text, ('v' || g % 4)::varchar(8) AS varchar,
         ('c' || g % 4)::char(6) AS bpchar, (ARRAY['sad', 'ok', 'happy'])[1 + g % 3]::mood AS enum,
         ('00000000-0000-0000-0000-00000000000' || g % 3)::uuid AS uuid, '2024-01-01'::date + g AS date,
         '2024-01-01 10:00'::timestamp + g * interval '1 hour' AS timestamp,
         '2024-01-01 10:00+02'::timestamptz + g * interval '1 minute' AS timestamptz, g::positive AS domain,
         CASE WHEN g % 11 = 0 THEN NULL ELSE g END AS nullable,
         g % 2 AS label
  FROM generate_series(1, 120) g;
EXPLAIN SELECT * FROM types TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL label INTO types_model \g |grep -E '^(model|into|input|label)'
SELECT * FROM types TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL label INTO types_model \g |grep -v -E '^(seconds|job|loss|LogLoss)'
SELECT name, count(*) FROM types_model WHERE part IN ('weight', 'vocabulary') AND name NOT LIKE '%.%=%' GROUP BY name ORDER BY name COLLATE "C";
SELECT * FROM types ORDER BY int4 LIMIT 2 TO PREDICT USING types_model;
-- A row as the function's argument: the whole one, or the inputs in order.
SELECT totrain.predict('types_model', t) FROM types t ORDER BY int4 LIMIT 2;
-- Labels come back in their own type.
SELECT int4, float8, enum FROM types TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL enum INTO enum_model \g |grep -v -E '^(seconds|job|loss|LogLoss)'
SELECT int4, float8, enum FROM types TO PREDICT enum_predicted.enum USING enum_model \g |sed 's/|[0-9.]*$//'
SELECT attname, atttypid::regtype FROM pg_attribute WHERE attrelid = 'enum_predicted'::regclass AND attnum > 0 ORDER BY attnum;
SELECT int4, float8, bool FROM types TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL bool INTO bool_model \g |grep -v -E '^(seconds|job|loss|LogLoss)'
SELECT int4, float8, bool FROM types TO PREDICT bool_predicted.bool USING bool_model \g |sed 's/|[0-9.]*$//'
SELECT attname, atttypid::regtype FROM pg_attribute WHERE attrelid = 'bool_predicted'::regclass AND attnum > 0 ORDER BY attnum;
DROP TABLE types, types_model, enum_model, enum_predicted, bool_model, bool_predicted;
DROP TYPE mood;
DROP DOMAIN positive;
