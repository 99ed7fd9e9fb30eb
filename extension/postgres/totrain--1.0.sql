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
