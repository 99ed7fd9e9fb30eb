-- ToTrain in a database: functions, and what is kept of models beside their tables.
\echo Use "CREATE EXTENSION totrain" to load this file. \quit

-- Roles belong to the server, not to the database: they may be there already,
-- and stay when the extension is dropped.
DO $$
DECLARE
    role text;
BEGIN
    FOREACH role IN ARRAY ARRAY['totrain_user', 'totrain_monitor'] LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = role) THEN
            EXECUTE pg_catalog.format('CREATE ROLE %I NOLOGIN', role);
        END IF;
    END LOOP;
END $$;

CREATE SCHEMA totrain;
GRANT USAGE ON SCHEMA totrain TO totrain_user, totrain_monitor;

-- What is kept of models beside their tables. Everybody sees, and writes, the rows of
-- the roles that he may act as.

CREATE TABLE totrain.models (
    relation   oid PRIMARY KEY, -- the model's table
    id         text NOT NULL,
    version    bigint NOT NULL,
    kind       text,
    digest     text,
    created_at text,
    rows       bigint,
    statement  text,
    owner      oid NOT NULL
);
CREATE INDEX ON totrain.models (id);

CREATE TABLE totrain.versions (
    id         text NOT NULL,
    version    bigint NOT NULL,
    digest     text,
    created_at text,
    owner      oid NOT NULL,
    part       text,
    name       text,
    "position" bigint,
    value      double precision,
    data       bytea
);
ALTER TABLE totrain.versions ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE INDEX ON totrain.versions (id, version);

CREATE TABLE totrain.metrics (
    id      text NOT NULL,
    version bigint NOT NULL,
    job     bigint,
    epoch   bigint,
    step    bigint,
    metric  text,
    part    text,
    value   double precision,
    owner   oid NOT NULL
);
CREATE INDEX ON totrain.metrics (id, version);

DO $$
DECLARE
    relation text;
BEGIN
    FOREACH relation IN ARRAY ARRAY['models', 'versions', 'metrics'] LOOP
        EXECUTE pg_catalog.format('ALTER TABLE totrain.%I ENABLE ROW LEVEL SECURITY', relation);
        EXECUTE pg_catalog.format('CREATE POLICY own ON totrain.%I USING '
            '(pg_catalog.pg_has_role(owner, ''USAGE'')) WITH CHECK '
            '(pg_catalog.pg_has_role(owner, ''USAGE''))', relation);
        EXECUTE pg_catalog.format('GRANT SELECT, INSERT, UPDATE, DELETE ON totrain.%I '
            'TO totrain_user', relation);
    END LOOP;
END $$;

-- A model's table that is dropped takes along what is kept of it. Whoever may drop
-- the table may not write these tables: SECURITY DEFINER, for exactly the tables that
-- PostgreSQL says were dropped.
CREATE FUNCTION totrain.forget_dropped() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    forgotten text[];
BEGIN
    WITH gone AS (
        DELETE FROM totrain.models m
        USING pg_catalog.pg_event_trigger_dropped_objects() o
        WHERE o.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND o.objsubid = 0
          AND m.relation = o.objid
        RETURNING m.id)
    SELECT pg_catalog.array_agg(id) INTO forgotten FROM gone;
    IF forgotten IS NOT NULL THEN
        DELETE FROM totrain.versions v WHERE v.id = ANY (forgotten)
            AND NOT EXISTS (SELECT FROM totrain.models m WHERE m.id = v.id);
        DELETE FROM totrain.metrics v WHERE v.id = ANY (forgotten)
            AND NOT EXISTS (SELECT FROM totrain.models m WHERE m.id = v.id);
    END IF;
END $$;
REVOKE ALL ON FUNCTION totrain.forget_dropped() FROM PUBLIC;
CREATE EVENT TRIGGER totrain_forget_dropped ON sql_drop
    EXECUTE FUNCTION totrain.forget_dropped();

-- Statements, as part of the caller's transaction. They run as the caller.

CREATE FUNCTION totrain.run(statement text,
                            OUT name text, OUT train double precision, OUT validation double precision)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'totrain_sql_run'
LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION totrain.run(text) IS
    'runs a statement that trains, predicts into a table, evaluates, cancels or goes back';

CREATE FUNCTION totrain.rows(statement text) RETURNS SETOF json
AS 'MODULE_PATHNAME', 'totrain_sql_rows'
LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION totrain.rows(text) IS 'runs any statement: its rows as JSON objects';

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA totrain FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.run(text), totrain.rows(text) TO totrain_user;
