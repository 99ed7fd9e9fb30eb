-- What 1.1 has and 1.0 had not: totrain.shards, and jobs that run elsewhere.
\echo Use "ALTER EXTENSION totrain UPDATE" to load this file. \quit

CREATE VIEW totrain.shards WITH (security_invoker = true) AS
SELECT owner::regrole AS owner, job, input, first, count, state, lease, tries
FROM totrain.job_table('shards') AS (
    owner oid, job bigint, input text, first bigint, count bigint, state text, lease bigint,
    tries bigint);

GRANT SELECT ON totrain.shards TO totrain_user, totrain_monitor;

-- Who may send jobs to a Kubernetes cluster (job.where = 'kubernetes').
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'totrain_k8s') THEN
        CREATE ROLE totrain_k8s NOLOGIN;
    END IF;
END $$;

-- Jobs whose processes run elsewhere, on a cluster: what they need lies in three tables in the
-- schema that totrain.job_schema names (docs/kubernetes.md).

CREATE SEQUENCE totrain.job_number;
GRANT USAGE ON SEQUENCE totrain.job_number TO totrain_user;

CREATE FUNCTION totrain.stage(statement text) RETURNS bigint
AS 'MODULE_PATHNAME', 'totrain_sql_stage' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION totrain.stage(text) IS
    'puts what a job needs into tables, for processes that are started elsewhere: the number of these tables';

CREATE FUNCTION totrain.collect(number bigint,
                                OUT name text, OUT value double precision, OUT part text, OUT detail text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'totrain_sql_collect'
LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION totrain.collect(bigint) IS
    'the model of a staged job that is done into its table; drops the job''s tables';

CREATE FUNCTION totrain.discard(number bigint) RETURNS void
AS 'MODULE_PATHNAME', 'totrain_sql_discard' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION totrain.discard(bigint) IS
    'drops the tables of a staged job, in the background while they are in use; its processes end when they notice';

-- One's own tables that are not needed any more: those of jobs that are over and whose tables were in use at
-- that time, and those in which nothing was written for so long (processes that live write at least
-- with each checkpoint). A table that is in use is left for the next time, and not
-- waited for. Another role's tables are not even looked at: their columns may be of a type with a
-- cast of its owner's, which a role that stages a job must not run.
CREATE FUNCTION totrain.sweep_jobs(idle interval DEFAULT '7 days') RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place text;
    number text;
    tables text;
    is_useless boolean;
    how_useless text;
    dropped bigint := 0;
BEGIN
    PERFORM totrain.version(); -- its library has the settings
    place := current_setting('totrain.job_schema');
    FOR number IN
        SELECT substr(c.relname, 8) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = place AND c.relkind = 'r' AND c.relname ~ '^result_[0-9]+$'
          AND pg_get_userbyid(c.relowner) = current_user
    LOOP
        tables := format('%1$I.%2$I, %1$I.%3$I, %1$I.%4$I', place,
                         'input_' || number, 'checkpoint_' || number, 'result_' || number);
        IF to_regclass(format('%I.%I', place, 'rows_' || number)) IS NOT NULL THEN
            tables := tables || format(', %I.%I', place, 'rows_' || number);
        END IF;
        IF to_regclass(format('%I.%I', place, 'server_' || number)) IS NOT NULL THEN
            tables := tables || format(', %1$I.%2$I, %1$I.%3$I', place, 'server_' || number, 'snapshot_' || number);
        END IF;
        how_useless := format('SELECT EXISTS (SELECT FROM %1$I.%2$I WHERE file = ''over'') OR '
                              '(SELECT coalesce(max(at) < clock_timestamp() - $1, true) FROM %1$I.%3$I)',
                              place, 'input_' || number, 'result_' || number);
        BEGIN
            EXECUTE how_useless INTO is_useless USING idle;
            IF NOT is_useless THEN -- a job that runs never meets the lock
                RAISE lock_not_available; -- gives the locks of this look back
            END IF;
            EXECUTE 'LOCK TABLE ' || tables || ' IN ACCESS EXCLUSIVE MODE NOWAIT';
            EXECUTE how_useless INTO is_useless USING idle;
            IF NOT is_useless THEN
                RAISE lock_not_available;
            END IF;
            EXECUTE 'DROP TABLE ' || tables;
            dropped := dropped + 1;
        EXCEPTION WHEN lock_not_available OR undefined_table THEN
            NULL;
        END;
    END LOOP;
    RETURN dropped;
END $$;
COMMENT ON FUNCTION totrain.sweep_jobs(interval) IS
    'drops the tables of one''s own staged jobs that are over, or in which nothing happened for so long';

REVOKE ALL ON FUNCTION totrain.stage(text), totrain.collect(bigint), totrain.discard(bigint),
    totrain.sweep_jobs(interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.stage(text), totrain.collect(bigint), totrain.discard(bigint),
    totrain.sweep_jobs(interval) TO totrain_user;

CREATE FUNCTION totrain.scale(job bigint, workers bigint) RETURNS bigint
AS 'MODULE_PATHNAME', 'totrain_sql_scale' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION totrain.scale(bigint, bigint) IS
    'gives a running job of the caller''s another number of workers';
CREATE FUNCTION totrain.scale_servers(job bigint, servers bigint) RETURNS bigint
AS 'MODULE_PATHNAME', 'totrain_sql_scale_servers' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION totrain.scale_servers(bigint, bigint) IS
    'gives a running job of the caller''s another number of parameter servers';

CREATE FUNCTION totrain.job_log(job bigint, owner regrole DEFAULT NULL, start bigint DEFAULT 0,
                                most bigint DEFAULT NULL, OUT next bigint, OUT line text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'totrain_sql_job_log'
LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION totrain.job_log(bigint, regrole, bigint, bigint) IS
    'the log of a job, line by line from byte start on; next: the byte behind the line';
REVOKE ALL ON FUNCTION totrain.job_log(bigint, regrole, bigint, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.job_log(bigint, regrole, bigint, bigint) TO totrain_user, totrain_monitor;

REVOKE ALL ON FUNCTION totrain.scale(bigint, bigint), totrain.scale_servers(bigint, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.scale(bigint, bigint), totrain.scale_servers(bigint, bigint)
    TO totrain_user;

-- A text as a value of the second argument's type, by that type's input function: no cast of
-- anybody's is called. Predictions of workers are put into tables by it.
CREATE FUNCTION totrain.as_type(value text, of_type anyelement) RETURNS anyelement
AS 'MODULE_PATHNAME', 'totrain_sql_as_type' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION totrain.as_type(text, anyelement) IS
    'a text in the type of the second argument, by that type''s input function';

-- What publishing does beside the model's table: for roles that may act as the table's owner, or make
-- it. A right to delete from the kept rows would be a right to lock them against all others.
CREATE FUNCTION totrain.forget(relation oid, which text, version bigint) RETURNS boolean
AS 'MODULE_PATHNAME', 'totrain_sql_forget' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION totrain.forget(oid, text, bigint) IS
    'deletes kept rows of a model of the caller''s: model, version, older versions, older metrics';

CREATE FUNCTION totrain.lock_model(schema text, name text) RETURNS boolean
AS 'MODULE_PATHNAME', 'totrain_sql_lock_model' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION totrain.lock_model(text, text) IS
    'waits for others who publish a model of this name, until the end of the transaction';

CREATE FUNCTION totrain.hold_model(schema text, name text) RETURNS boolean
AS 'MODULE_PATHNAME', 'totrain_sql_hold_model' LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION totrain.hold_model(text, text) IS
    'waits likewise, until lock_model, an error or the end of the session: over the pieces of a large model';

CREATE FUNCTION totrain.new_name(schema text, name text) RETURNS text
AS 'MODULE_PATHNAME', 'totrain_sql_new_name' LANGUAGE C STRICT STABLE PARALLEL SAFE;
COMMENT ON FUNCTION totrain.new_name(text, text) IS
    'what a table is called while the caller makes it: no other role knows it';

-- Tables of pieces (totrain_part_...) that the caller may drop: of large models that were not published
-- to their end. Who publishes holds a lock on the model's name, whose class is its schema: a table in a
-- schema in which nobody does so is nobody's any more.
CREATE VIEW totrain.parts WITH (security_invoker = true) AS
SELECT c.oid::pg_catalog.regclass AS relation, c.relowner::pg_catalog.regrole AS owner,
       pg_catalog.substring(d.description, '[0-9]+$')::bigint OPERATOR(pg_catalog.-) 1 AS rows,
       pg_catalog.pg_total_relation_size(c.oid) AS bytes,
       EXISTS (SELECT FROM pg_catalog.pg_locks l WHERE l.locktype OPERATOR(pg_catalog.=) 'object'
               AND l.database OPERATOR(pg_catalog.=) (SELECT b.oid FROM pg_catalog.pg_database b WHERE
                   b.datname OPERATOR(pg_catalog.=) pg_catalog.current_database())
               AND l.classid OPERATOR(pg_catalog.=) c.relnamespace AND l.objsubid OPERATOR(pg_catalog.=) 1
               AND l.mode OPERATOR(pg_catalog.=) 'ExclusiveLock' AND l.granted) AS is_published
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_description d ON d.objoid OPERATOR(pg_catalog.=) c.oid
     AND d.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
     AND d.objsubid OPERATOR(pg_catalog.=) 0
WHERE c.relkind OPERATOR(pg_catalog.=) 'r' AND pg_catalog.pg_has_role(c.relowner, 'USAGE')
  AND pg_catalog.starts_with(c.relname::pg_catalog.text, 'totrain_part_')
  AND d.description OPERATOR(pg_catalog.~) '^ToTrain: rows of a model on their way into .*: [0-9]+$';
COMMENT ON VIEW totrain.parts IS
    'tables of pieces of large models that the caller may drop; is_published: somebody may be at it';
GRANT SELECT ON totrain.parts TO totrain_user;

CREATE FUNCTION totrain.sweep_parts() RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part regclass;
    dropped bigint := 0;
BEGIN
    FOR part IN SELECT p.relation FROM totrain.parts p WHERE NOT p.is_published LOOP
        BEGIN
            EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE NOWAIT', part);
            EXECUTE format('DROP TABLE %s CASCADE', part);
            dropped := dropped + 1;
        EXCEPTION WHEN lock_not_available OR undefined_table THEN
            NULL;
        END;
    END LOOP;
    RETURN dropped;
END $$;
COMMENT ON FUNCTION totrain.sweep_parts() IS
    'drops the tables of pieces that the caller may drop and that nobody publishes; how many';

-- For clients that read models over a connection: the rows of one, read without running anything
-- of its owner's. As a query would, it takes SELECT on the table.
CREATE FUNCTION totrain.model_rows(relation oid, only_meta boolean, at_once boolean,
                                   OUT part text, OUT name text, OUT "position" bigint,
                                   OUT value double precision, OUT data bytea)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'totrain_sql_model_rows'
LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION totrain.model_rows(oid, boolean, boolean) IS
    'the rows of a model: what programs read models by';
REVOKE ALL ON FUNCTION totrain.model_rows(oid, boolean, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.model_rows(oid, boolean, boolean) TO totrain_user;
REVOKE ALL ON FUNCTION totrain.as_type(text, anyelement) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.as_type(text, anyelement) TO totrain_user;

-- For workers that stage the rows of a table: one shard of it, in the worker's transaction, or (spool
-- -1) what is settled over all of them. As a query would, it takes SELECT on the table, and SELECT and
-- INSERT on the job's. Who lets jobs read tables themselves grants it to the login of their processes.
CREATE FUNCTION totrain.stage_shard(format integer, job bigint, schema text, spec text, "order" text,
                                    spool integer, shard integer)
RETURNS void AS 'MODULE_PATHNAME', 'totrain_sql_stage_shard'
LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION totrain.stage_shard(integer, bigint, text, text, text, integer, integer) IS
    'reads and stores a shard of a table: what workers stage rows by';
REVOKE ALL ON FUNCTION totrain.stage_shard(integer, bigint, text, text, text, integer, integer) FROM PUBLIC;

DROP FUNCTION totrain.run(text);
CREATE FUNCTION totrain.run(statement text,
                            OUT name text, OUT value double precision, OUT part text, OUT detail text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'totrain_sql_run'
LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION totrain.run(text) IS
    'runs a statement that trains, predicts into a table, evaluates, cancels or goes back';
REVOKE ALL ON FUNCTION totrain.run(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.run(text) TO totrain_user;

CREATE FUNCTION totrain.publish(job bigint,
                                OUT name text, OUT value double precision, OUT part text, OUT detail text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'totrain_sql_publish'
LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION totrain.publish(bigint) IS
    'what one of the caller''s jobs that is unpublished has made into its table';
REVOKE ALL ON FUNCTION totrain.publish(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.publish(bigint) TO totrain_user;

-- The rows that are kept of models: tables for pg_dump, views for all other roles.
DO $$
DECLARE
    kept text;
BEGIN
    FOREACH kept IN ARRAY ARRAY['models', 'versions', 'metrics'] LOOP
        EXECUTE pg_catalog.format('DROP POLICY own ON totrain.%I', kept); -- forget_dropped() runs
    END LOOP;
    FOREACH kept IN ARRAY ARRAY['models', 'versions', 'metrics'] LOOP
        EXECUTE pg_catalog.format('ALTER TABLE totrain.%I DISABLE ROW LEVEL SECURITY', kept);
        EXECUTE pg_catalog.format('REVOKE ALL ON totrain.%I FROM totrain_user', kept);
        EXECUTE pg_catalog.format('ALTER TABLE totrain.%1$I RENAME TO kept_%1$s', kept);
    END LOOP;
END $$;
ALTER INDEX totrain.models_pkey RENAME TO kept_models_pkey;
ALTER INDEX totrain.models_id_idx RENAME TO kept_models_id_idx;
ALTER INDEX totrain.versions_relation_version_idx RENAME TO kept_versions_relation_version_idx;
ALTER INDEX totrain.metrics_relation_version_idx RENAME TO kept_metrics_relation_version_idx;
ALTER TABLE totrain.kept_versions REPLICA IDENTITY FULL;
ALTER TABLE totrain.kept_metrics REPLICA IDENTITY FULL;

GRANT USAGE ON SCHEMA totrain TO pg_database_owner;
GRANT SELECT ON totrain.kept_models, totrain.kept_versions, totrain.kept_metrics TO pg_database_owner;

-- Each row belongs to a table: only roles that may act as the owner of that table see the row
-- and write it, through these views. (Under row security pg_dump would fail for all but superusers.)

-- A function, and no query on pg_class in the views: LOCK TABLE of a view locks all that it reads.
CREATE FUNCTION totrain.is_own(relation oid) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) is_own.relation
                   AND c.relkind OPERATOR(pg_catalog.=) 'r' AND pg_catalog.pg_has_role(c.relowner, 'USAGE'));
END $$;
REVOKE ALL ON FUNCTION totrain.is_own(oid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.is_own(oid) TO totrain_user;

CREATE VIEW totrain.models WITH (security_barrier = true) AS
SELECT relation, id, version, kind, digest, created_at, rows, statement FROM totrain.kept_models k
WHERE totrain.is_own(k.relation)
WITH CHECK OPTION;

CREATE VIEW totrain.versions WITH (security_barrier = true) AS
SELECT relation, version, digest, created_at, part, name, "position", value, data FROM totrain.kept_versions k
WHERE totrain.is_own(k.relation)
WITH CHECK OPTION;

CREATE VIEW totrain.metrics WITH (security_barrier = true) AS
SELECT relation, version, job, epoch, step, metric, part, value, k.ctid AS place -- in the order of place
FROM totrain.kept_metrics k
WHERE totrain.is_own(k.relation)
WITH CHECK OPTION;

GRANT SELECT, INSERT ON totrain.models, totrain.versions, totrain.metrics TO totrain_user;

CREATE OR REPLACE FUNCTION totrain.forget_dropped() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    gone regclass[];
BEGIN
    SELECT pg_catalog.array_agg(m.relation) INTO gone FROM (
        SELECT k.relation FROM totrain.kept_models k
        WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = k.relation)
        FOR UPDATE SKIP LOCKED) m; -- another DROP, not yet committed, has the others
    IF gone IS NOT NULL THEN
        DELETE FROM totrain.kept_models m WHERE m.relation = ANY (gone);
        DELETE FROM totrain.kept_versions v WHERE v.relation = ANY (gone);
        DELETE FROM totrain.kept_metrics v WHERE v.relation = ANY (gone);
    END IF;
END $$;

-- A model may be a temporary table, which parallel workers cannot read: then there are none.
CREATE FUNCTION totrain.plan_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'totrain_sql_plan_support' LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;

ALTER FUNCTION totrain.predict(text, record) SUPPORT totrain.plan_support;
ALTER FUNCTION totrain.predict(text, record, anyelement) SUPPORT totrain.plan_support;
ALTER FUNCTION totrain.probability(text, record) SUPPORT totrain.plan_support;
ALTER FUNCTION totrain.probabilities(text, record) SUPPORT totrain.plan_support;
ALTER FUNCTION totrain.logits(text, record) SUPPORT totrain.plan_support;
ALTER FUNCTION totrain.problem(text, record) SUPPORT totrain.plan_support;

CREATE FUNCTION totrain.distance(model text, "row" record) RETURNS double precision
AS 'MODULE_PATHNAME', 'totrain_sql_distance' LANGUAGE C STABLE PARALLEL SAFE COST 100
SUPPORT totrain.plan_support;
COMMENT ON FUNCTION totrain.distance(text, record) IS 'to the nearest of a model of clusters; of a PCA to what its components give back';
REVOKE ALL ON FUNCTION totrain.distance(text, record) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.distance(text, record) TO totrain_user;

CREATE FUNCTION totrain.points(model text, "row" record) RETURNS double precision
AS 'MODULE_PATHNAME', 'totrain_sql_points' LANGUAGE C STABLE PARALLEL SAFE COST 100
SUPPORT totrain.plan_support;
COMMENT ON FUNCTION totrain.points(text, record) IS 'of a score card';
REVOKE ALL ON FUNCTION totrain.points(text, record) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.points(text, record) TO totrain_user;

CREATE FUNCTION totrain.component(model text, "row" record, number integer)
RETURNS double precision
AS 'MODULE_PATHNAME', 'totrain_sql_component' LANGUAGE C STABLE PARALLEL SAFE COST 100
SUPPORT totrain.plan_support;
COMMENT ON FUNCTION totrain.component(text, record, integer) IS
    'of a PCA one component, the first is 1';
REVOKE ALL ON FUNCTION totrain.component(text, record, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.component(text, record, integer) TO totrain_user;

CREATE FUNCTION totrain.quantiles(model text, "row" record) RETURNS json
AS 'MODULE_PATHNAME', 'totrain_sql_quantiles' LANGUAGE C STABLE PARALLEL SAFE COST 100
SUPPORT totrain.plan_support;
COMMENT ON FUNCTION totrain.quantiles(text, record) IS
    'of a model of quantiles: quantile -> number';
REVOKE ALL ON FUNCTION totrain.quantiles(text, record) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.quantiles(text, record) TO totrain_user;

CREATE FUNCTION totrain.leaf(model text, "row" record) RETURNS json
AS 'MODULE_PATHNAME', 'totrain_sql_leaf' LANGUAGE C STABLE PARALLEL SAFE COST 100
SUPPORT totrain.plan_support;
COMMENT ON FUNCTION totrain.leaf(text, record) IS
    'of a model of trees an array: of each tree the node that the row ends in';
REVOKE ALL ON FUNCTION totrain.leaf(text, record) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.leaf(text, record) TO totrain_user;

CREATE FUNCTION totrain.shap(model text, "row" record) RETURNS json
AS 'MODULE_PATHNAME', 'totrain_sql_shap' LANGUAGE C STABLE PARALLEL SAFE COST 100
SUPPORT totrain.plan_support;
COMMENT ON FUNCTION totrain.shap(text, record) IS
    'of a model of trees, its SHAP values: input -> what it adds to the output';
REVOKE ALL ON FUNCTION totrain.shap(text, record) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.shap(text, record) TO totrain_user;

-- Models of XGBoost and LightGBM as bytes, since no server's file is read or written. They run as the
-- caller, who may write the model that TRAIN may write.

CREATE FUNCTION totrain.export_model(model text, format text) RETURNS bytea
AS 'MODULE_PATHNAME', 'totrain_sql_export_model' LANGUAGE C STRICT STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION totrain.export_model(text, text) IS
    'a model as the bytes of a file: formats xgboost, xgboost_ubj, lightgbm (trees), sql, sqlite, postgres, c, onnx';

CREATE FUNCTION totrain.export_text(model text, format text) RETURNS text
AS 'MODULE_PATHNAME', 'totrain_sql_export_text' LANGUAGE C STRICT STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION totrain.export_text(text, text) IS
    'a model as SQL or C, or as a file of XGBoost or LightGBM: formats sql, sqlite, postgres, c, xgboost, lightgbm';

CREATE FUNCTION totrain.import_model(model text, content bytea, format text DEFAULT NULL) RETURNS bigint
AS 'MODULE_PATHNAME', 'totrain_sql_import_model' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION totrain.import_model(text, bytea, text) IS
    'writes a model of the bytes of a file of XGBoost or LightGBM: its version';
CREATE FUNCTION totrain.report(model text, format text DEFAULT 'html', "select" text DEFAULT NULL) RETURNS text
AS 'MODULE_PATHNAME', 'totrain_sql_report' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION totrain.report(text, text, text) IS
    'a page about a model, as html or markdown, measured on the rows of select, or on those of its training';
REVOKE ALL ON FUNCTION totrain.export_model(text, text), totrain.export_text(text, text),
    totrain.import_model(text, bytea, text), totrain.report(text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.export_model(text, text), totrain.export_text(text, text),
    totrain.import_model(text, bytea, text), totrain.report(text, text, text) TO totrain_user;

REVOKE ALL ON FUNCTION totrain.plan_support(internal) FROM PUBLIC;
REVOKE ALL ON FUNCTION totrain.forget(oid, text, bigint), totrain.lock_model(text, text),
    totrain.hold_model(text, text), totrain.new_name(text, text), totrain.sweep_parts() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.forget(oid, text, bigint), totrain.lock_model(text, text),
    totrain.hold_model(text, text), totrain.new_name(text, text), totrain.sweep_parts() TO totrain_user;

-- The same with values for $1, $2 in the SELECT. They may be NULL.

CREATE FUNCTION totrain.run(statement text, VARIADIC "values" "any",
                            OUT name text, OUT value double precision, OUT part text, OUT detail text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'totrain_sql_run'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION totrain.run(text, VARIADIC "any") IS
    'runs a statement with values for the parameters of its SELECT';

CREATE FUNCTION totrain.rows(statement text, VARIADIC "values" "any") RETURNS SETOF json
AS 'MODULE_PATHNAME', 'totrain_sql_rows'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION totrain.rows(text, VARIADIC "any") IS
    'any statement with values for the parameters of its SELECT: its rows as JSON objects';

REVOKE ALL ON FUNCTION totrain.run(text, VARIADIC "any"), totrain.rows(text, VARIADIC "any") FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.run(text, VARIADIC "any"), totrain.rows(text, VARIADIC "any") TO totrain_user;

CREATE FUNCTION totrain.call(model text) RETURNS text
AS 'MODULE_PATHNAME', 'totrain_sql_call' LANGUAGE C STABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION totrain.call(text) IS
    'the call of totrain.predict with all inputs of the model, to copy';
REVOKE ALL ON FUNCTION totrain.call(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.call(text) TO totrain_user;

-- Who only predicts, evaluates and lists, and who looks after the jobs of all. A role of such a name
-- that was there before is taken where it has no other rights.
DO $$
DECLARE
    role text;
    its_members text;
BEGIN
    FOREACH role IN ARRAY ARRAY['totrain_reader', 'totrain_admin'] LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = role) THEN
            EXECUTE pg_catalog.format('CREATE ROLE %I NOLOGIN', role);
        ELSIF EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE rolname = role AND (
                          rolcanlogin OR rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls OR
                          EXISTS (SELECT FROM pg_catalog.pg_auth_members m WHERE m.member = r.oid))) THEN
            RAISE EXCEPTION USING ERRCODE = 'duplicate_object',
                MESSAGE = pg_catalog.format('role "%s" is there, and may do more than its members are to', role),
                HINT = pg_catalog.format('Take its attributes and memberships away, or rename it: ALTER ROLE %I RENAME TO ...', role);
        END IF;
        SELECT pg_catalog.string_agg(pg_catalog.quote_ident(r.rolname), ', ' ORDER BY r.rolname) INTO its_members
        FROM pg_catalog.pg_auth_members m JOIN pg_catalog.pg_roles r ON r.oid = m.member
        WHERE m.roleid = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = role) AND NOT r.rolsuper;
        IF its_members IS NOT NULL THEN
            RAISE WARNING 'role "%" was there before, and has the members %', role, its_members;
        END IF;
    END LOOP;
END $$;

CREATE FUNCTION totrain.publish(job bigint, owner regrole,
                                OUT name text, OUT value double precision, OUT part text, OUT detail text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'totrain_sql_publish_of'
LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION totrain.publish(bigint, regrole) IS
    'the same of a role that the caller may act as, written as that role; of any for totrain_admin';
REVOKE ALL ON FUNCTION totrain.publish(bigint, regrole) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.publish(bigint, regrole) TO totrain_user;
COMMENT ON FUNCTION totrain.cancel(bigint, regrole) IS
    'ends a job of a role that the caller may act as, or, for totrain_admin, of any';

-- A reader's statements go through totrain.rows, which without totrain.run starts no process and
-- writes nothing; an administrator of jobs runs no statement.
GRANT USAGE ON SCHEMA totrain TO totrain_reader, totrain_admin;
GRANT SELECT ON totrain.models, totrain.versions, totrain.metrics TO totrain_reader;
GRANT EXECUTE ON FUNCTION totrain.rows(text), totrain.rows(text, VARIADIC "any"),
    totrain.predict(text, record), totrain.predict(text, record, anyelement),
    totrain.probability(text, record), totrain.probabilities(text, record),
    totrain.logits(text, record), totrain.distance(text, record),
    totrain.component(text, record, integer), totrain.points(text, record),
    totrain.quantiles(text, record), totrain.leaf(text, record), totrain.shap(text, record),
    totrain.problem(text, record), totrain.model_rows(oid, boolean, boolean), totrain.is_own(oid),
    totrain.call(text), totrain.version()
    TO totrain_reader;
GRANT SELECT ON totrain.jobs, totrain.workers, totrain.events, totrain.job_metrics, totrain.shards
    TO totrain_admin;
GRANT EXECUTE ON FUNCTION totrain.job_table(text),
    totrain.job_log(bigint, regrole, bigint, bigint), totrain.cancel(bigint, regrole),
    totrain.publish(bigint, regrole), totrain.discard(bigint), totrain.version()
    TO totrain_admin;

-- Forecasts of a series that nobody trained, as an aggregate over its rows.

CREATE FUNCTION totrain.forecast_lower(model text, "row" record, value anyelement,
    level double precision DEFAULT 0.95) RETURNS double precision
AS 'MODULE_PATHNAME', 'totrain_sql_forecast_lower' LANGUAGE C STABLE PARALLEL SAFE COST 100
SUPPORT totrain.plan_support;
COMMENT ON FUNCTION totrain.forecast_lower(text, record, anyelement, double precision) IS
    'the lower bound of a forecast, for intervals of the level';

CREATE FUNCTION totrain.forecast_upper(model text, "row" record, value anyelement,
    level double precision DEFAULT 0.95) RETURNS double precision
AS 'MODULE_PATHNAME', 'totrain_sql_forecast_upper' LANGUAGE C STABLE PARALLEL SAFE COST 100
SUPPORT totrain.plan_support;
COMMENT ON FUNCTION totrain.forecast_upper(text, record, anyelement, double precision) IS
    'the upper bound of a forecast, for intervals of the level';

CREATE FUNCTION totrain.anomaly_probability(model text, "row" record, value anyelement,
    level double precision DEFAULT 0.95) RETURNS double precision
AS 'MODULE_PATHNAME', 'totrain_sql_anomaly_probability' LANGUAGE C STABLE PARALLEL SAFE COST 100
SUPPORT totrain.plan_support;
COMMENT ON FUNCTION totrain.anomaly_probability(text, record, anyelement, double precision) IS
    'how probable it is that a value lies nearer to its forecast than this one';

CREATE FUNCTION totrain.is_anomaly(model text, "row" record, value anyelement,
    level double precision DEFAULT 0.95) RETURNS boolean
AS 'MODULE_PATHNAME', 'totrain_sql_is_anomaly' LANGUAGE C STABLE PARALLEL SAFE COST 100
SUPPORT totrain.plan_support;
COMMENT ON FUNCTION totrain.is_anomaly(text, record, anyelement, double precision) IS
    'is that probability above the level?';

REVOKE ALL ON FUNCTION totrain.forecast_lower(text, record, anyelement, double precision),
    totrain.forecast_upper(text, record, anyelement, double precision),
    totrain.anomaly_probability(text, record, anyelement, double precision),
    totrain.is_anomaly(text, record, anyelement, double precision) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.forecast_lower(text, record, anyelement, double precision),
    totrain.forecast_upper(text, record, anyelement, double precision),
    totrain.anomaly_probability(text, record, anyelement, double precision),
    totrain.is_anomaly(text, record, anyelement, double precision) TO totrain_user, totrain_reader;

CREATE FUNCTION totrain.forecast_add(state internal, "time" anyelement, value double precision,
                                     horizon integer)
RETURNS internal AS 'MODULE_PATHNAME', 'totrain_sql_forecast_add'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION totrain.forecast_add(state internal, "time" anyelement, value double precision,
                                     horizon integer, options text)
RETURNS internal AS 'MODULE_PATHNAME', 'totrain_sql_forecast_add'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION totrain.forecast_end(state internal) RETURNS json
AS 'MODULE_PATHNAME', 'totrain_sql_forecast_end' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;

CREATE AGGREGATE totrain.forecast_series("time" anyelement, value double precision, horizon integer) (
    SFUNC = totrain.forecast_add, STYPE = internal, SSPACE = 65536,
    FINALFUNC = totrain.forecast_end, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = SAFE);
COMMENT ON AGGREGATE totrain.forecast_series(anyelement, double precision, integer) IS
    'forecasts a series: an array of objects with time, value, lower and upper';

CREATE AGGREGATE totrain.forecast_series("time" anyelement, value double precision, horizon integer,
                                         options text) (
    SFUNC = totrain.forecast_add, STYPE = internal, SSPACE = 65536,
    FINALFUNC = totrain.forecast_end, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = SAFE);
COMMENT ON AGGREGATE totrain.forecast_series(anyelement, double precision, integer, text) IS
    'the same with the name of a method, or options as JSON';

-- Forecasts of a stored model: for joins and views, and, in the columns of its history, what FORECAST
-- asks for.

CREATE FUNCTION totrain.forecast(model text, steps integer DEFAULT NULL,
                                 level double precision DEFAULT NULL,
                                 OUT series text, OUT "time" text, OUT value double precision,
                                 OUT lower double precision, OUT upper double precision)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'totrain_sql_forecast'
LANGUAGE C STABLE PARALLEL SAFE COST 10000 ROWS 10000;
COMMENT ON FUNCTION totrain.forecast(text, integer, double precision) IS
    'the forecasts of a model: of each series its next steps';

CREATE FUNCTION totrain.forecast(model text, steps integer, level double precision, of_series text,
                                 OUT series text, OUT "time" text, OUT value double precision,
                                 OUT lower double precision, OUT upper double precision)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'totrain_sql_forecast_of'
LANGUAGE C STABLE PARALLEL SAFE COST 100 ROWS 100;
COMMENT ON FUNCTION totrain.forecast(text, integer, double precision, text) IS
    'the same of one series, which is looked up';

CREATE FUNCTION totrain.forecast_rows(model text, steps integer, level double precision)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'totrain_sql_forecast_rows'
LANGUAGE C STABLE PARALLEL SAFE COST 10000 ROWS 10000;
COMMENT ON FUNCTION totrain.forecast_rows(text, integer, double precision) IS
    'the same with the columns of the history: what FORECAST reads';

REVOKE ALL ON FUNCTION totrain.forecast_add(internal, anyelement, double precision, integer),
    totrain.forecast_add(internal, anyelement, double precision, integer, text),
    totrain.forecast_end(internal),
    totrain.forecast_series(anyelement, double precision, integer),
    totrain.forecast_series(anyelement, double precision, integer, text),
    totrain.forecast(text, integer, double precision),
    totrain.forecast(text, integer, double precision, text),
    totrain.forecast_rows(text, integer, double precision) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION totrain.forecast_add(internal, anyelement, double precision, integer),
    totrain.forecast_add(internal, anyelement, double precision, integer, text),
    totrain.forecast_end(internal),
    totrain.forecast_series(anyelement, double precision, integer),
    totrain.forecast_series(anyelement, double precision, integer, text),
    totrain.forecast(text, integer, double precision),
    totrain.forecast(text, integer, double precision, text),
    totrain.forecast_rows(text, integer, double precision) TO totrain_user, totrain_reader;
