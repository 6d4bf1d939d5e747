-- See sink. The records as they came, in their order of arrival. Which ones are the same, `key` says.
SET synchronous_commit = on;
BEGIN;
SELECT pg_advisory_xact_lock(hashtext('feedutils')) \gset
CREATE TABLE IF NOT EXISTS record (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  line text NOT NULL,
  record jsonb NOT NULL CHECK (record ? 'event'),
  -- Of the id, the event and the data. Of the whole line, if `record` may have lost a character. A record without an id has
  -- none, and is never the same as another.
  key bytea UNIQUE
);
CREATE TEMPORARY TABLE batch (number int GENERATED ALWAYS AS IDENTITY, line text) ON COMMIT DROP;

CREATE FUNCTION pg_temp.as_jsonb(line text) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  RETURN line::jsonb;
EXCEPTION WHEN untranslatable_character OR invalid_text_representation THEN
  -- What follows an even number of backslashes is an escape. A pair of surrogates stays.
  line := regexp_replace(line, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g');
  line := regexp_replace(line, '(?<!\\)((?:\\\\)*)\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])', '\1\\ufffd', 'g');
  RETURN regexp_replace(line, '(?<!\\)(?<!\\u[dD][89abAB]..)((?:\\\\)*)\\u[dD][c-fC-F]..', '\1\\ufffd', 'g')::jsonb;
END $$;

\copy batch (line) FROM pstdin
INSERT INTO record (line, record, key)
  SELECT line, record, CASE WHEN record ? 'id' THEN sha256(convert_to(CASE WHEN line ~ '\\u0000|\\u[dD][89a-fA-F]' THEN line
    ELSE jsonb_build_array(record -> 'id', record -> 'event', record -> 'data')::text END, 'UTF8')) END
  FROM (SELECT number, line, pg_temp.as_jsonb(line) AS record FROM batch OFFSET 0) AS batch
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
