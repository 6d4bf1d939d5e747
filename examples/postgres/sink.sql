-- See sink. The records as they came, in their order of arrival. Which ones are the same, `key` says.
SET synchronous_commit = on;
BEGIN;
SELECT pg_advisory_xact_lock(hashtext('feedutils')) \gset
CREATE TABLE IF NOT EXISTS record (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  line text NOT NULL,
  record jsonb NOT NULL CHECK (record ? 'event'),
  -- Of the id, the event and the data, before a character was lost. A record without an id has none, and is never the same
  -- as another.
  key bytea UNIQUE
);
CREATE TEMPORARY TABLE batch (number int GENERATED ALWAYS AS IDENTITY, line text) ON COMMIT DROP;

-- `other` takes the place of an escape that jsonb refuses: \1 what stands before it, \2 its text without the backslash.
CREATE FUNCTION pg_temp.as_jsonb(line text, other text) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  RETURN line::jsonb;
EXCEPTION WHEN untranslatable_character OR invalid_text_representation THEN
  -- What follows an even number of backslashes is an escape. A pair of surrogates stays.
  line := regexp_replace(line, '(?<!\\)((?:\\\\)*)\\(u0000)', other, 'g');
  line := regexp_replace(line, '(?<!\\)((?:\\\\)*)\\(u[dD][89abAB]..)(?!\\u[dD][c-fC-F])', other, 'g');
  RETURN regexp_replace(line, '(?<!\\)(?<!\\u[dD][89abAB]..)((?:\\\\)*)\\(u[dD][c-fC-F]..)', other, 'g')::jsonb;
END $$;

\copy batch (line) FROM pstdin
INSERT INTO record (line, record, key)
  SELECT line, record, CASE WHEN record ? 'id' THEN
    sha256(convert_to(jsonb_build_array(whole -> 'id', whole -> 'event', whole -> 'data')::text, 'UTF8')) END
  FROM (SELECT number, line, pg_temp.as_jsonb(line, '\1\\ufffd') AS record FROM batch OFFSET 0) AS batch,
    LATERAL (SELECT CASE WHEN line ~ '\\u(0000|[dD][89a-fA-F])' THEN pg_temp.as_jsonb(line, '\1\\ufffd\2') ELSE record END
      AS whole OFFSET 0) AS key
  ORDER BY number
  ON CONFLICT DO NOTHING;
SELECT count(*) = :count AS whole FROM batch \gset
DROP FUNCTION pg_temp.as_jsonb;
\if :whole
  COMMIT;
  \echo taken
\else
  \echo 'not the whole batch has come'
\endif
