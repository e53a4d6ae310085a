-- Comes before the first migration of every schema: what stores use of SQLite's functions, and the marks of writers.

-- What no text can hold here, U+0000 and halves of pairs, stands in JSON as an escape, and becomes what it is in columns: U+FFFD.
CREATE FUNCTION json_each(list text) RETURNS TABLE (value text)
LANGUAGE sql IMMUTABLE STRICT ROWS 20
AS $$ SELECT each FROM pg_catalog.json_array_elements_text(CASE WHEN strpos(list, '\u') = 0 THEN list ELSE
  regexp_replace(list, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'g') END::json) AS each $$;

CREATE FUNCTION instr(haystack text, needle text) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT
AS $$ SELECT strpos(haystack, needle) $$;

CREATE FUNCTION iif(condition boolean, yes anyelement, no anyelement) RETURNS anyelement
LANGUAGE sql IMMUTABLE
AS $$ SELECT CASE WHEN condition THEN yes ELSE no END $$;

CREATE TABLE writer_marks (
  writer text COLLATE "C" PRIMARY KEY,
  step   bigint NOT NULL,
  at     bigint NOT NULL
);
