-- SQLite's functions of JSON for POST /query, beside query.sql.

-- JSON is text, as on SQLite. PostgreSQL has no U+0000 in texts; U+FFFD takes its place, as in every text.
CREATE FUNCTION query.json_tree(given text) RETURNS json LANGUAGE sql IMMUTABLE AS
$$ SELECT CAST(CASE WHEN strpos(given, '\u0000') = 0 THEN given
  ELSE regexp_replace(given, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufffd', 'g') END AS json) $$;
-- A part without the blanks that stand around its own parts.
CREATE FUNCTION query.json_written(found json) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT regexp_replace(CAST(found AS text), '("(?:[^"\\]|\\.)*")|\s+', '\1', 'g') $$;

-- A path is $.a."b c"[0][#-1]: names in objects, places in lists, also counted from the end. Where a name stands twice,
-- the first one counts.
CREATE FUNCTION query.json_at(given text, path text) RETURNS json LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  found json := query.json_tree(given);
  step  text[];
  place integer;
BEGIN
  IF path IS NULL OR given IS NULL THEN RETURN NULL; END IF;
  IF path !~ '^\$(?:\."[^"]*"|\.[^.["][^.[]*|\[(?:\d+|#(?:-\d+)?)\])*$' THEN
    RAISE EXCEPTION USING ERRCODE = 'SB003', MESSAGE = 'bad JSON path: ' || quote_literal(path);
  END IF;
  FOR step IN SELECT regexp_matches(path, '\."([^"]*)"|\.([^.[]+)|\[(#?)(-?\d*)\]', 'g') LOOP
    IF step[4] IS NULL THEN
      IF json_typeof(found) <> 'object' THEN RETURN NULL; END IF;
      found := (SELECT value FROM json_each(found) WHERE key = coalesce(step[1], step[2]) LIMIT 1);
    ELSE
      IF json_typeof(found) <> 'array' OR length(step[4]) > 9 THEN RETURN NULL; END IF;
      place := CAST(coalesce(nullif(step[4], ''), '0') AS integer);
      IF step[3] = '#' THEN place := place + json_array_length(found); END IF;
      found := CASE WHEN place >= 0 THEN found -> place END;
    END IF;
  END LOOP;
  RETURN found;
END $$;
-- Behind an arrow also a name or a place alone.
CREATE FUNCTION query.json_path(short text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN short LIKE '$%' OR short = '' THEN short WHEN short LIKE '[_%]' THEN '$' || short ELSE '$."' || short || '"' END $$;
CREATE FUNCTION query.json_path(place bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT '$[' || CASE WHEN place < 0 THEN '#' ELSE '' END || place || ']' $$;
CREATE FUNCTION query.json_text(given text, path text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  found json := query.json_at(given, path);
BEGIN
  RETURN CASE json_typeof(found) WHEN 'boolean' THEN CASE CAST(found AS text) WHEN 'true' THEN '1' ELSE '0' END
    WHEN 'object' THEN query.json_written(found) WHEN 'array' THEN query.json_written(found) ELSE found #>> '{}' END;
END $$;
CREATE FUNCTION query.json_part(given text, path text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT query.json_written(query.json_at(given, path)) $$;
CREATE FUNCTION query.json_type(given text, path text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  found json := query.json_at(given, path);
BEGIN
  RETURN CASE json_typeof(found) WHEN 'string' THEN 'text'
    WHEN 'number' THEN CASE WHEN CAST(found AS text) ~ '^\s*-?\d+\s*$' THEN 'integer' ELSE 'real' END
    WHEN 'boolean' THEN CAST(found AS text) ELSE json_typeof(found) END;
END $$;
CREATE FUNCTION query.json_array_length(given text, path text) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  found json := query.json_at(given, path);
BEGIN
  RETURN CASE json_typeof(found) WHEN 'array' THEN json_array_length(found) ELSE 0 * length(json_typeof(found)) END;
END $$;
CREATE FUNCTION query.json_valid(given text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN CAST(given AS json) IS NOT NULL OR NULL;
EXCEPTION WHEN invalid_text_representation THEN
  RETURN FALSE;
END $$;
CREATE FUNCTION query.as_json(given text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT CAST(to_json(given) AS text) $$;
CREATE FUNCTION query.as_json(given bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT CAST(given AS text) $$;
CREATE FUNCTION query.as_json(given double precision) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT query.as_text(given) $$;
