-- What POST /query may reach, and nothing else: the tables it reads and writes, as views, and those of SQLite's functions
-- that PostgreSQL does not have, or has with another meaning. Made anew whenever this text or the list of columns changes.

-- Numbers as SQLite writes them: a fraction always shows that it is one.
CREATE FUNCTION query.as_text(given bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT CAST(given AS text) $$;
CREATE FUNCTION query.as_text(given numeric) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT CAST(given AS text) $$;
CREATE FUNCTION query.as_text(given text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT given $$;
CREATE FUNCTION query.as_text(given bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT convert_from(given, 'UTF8') $$;
CREATE FUNCTION query.as_text(given double precision) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT CAST(given AS text) || CASE WHEN CAST(given AS text) ~ '^-?\d+$' THEN '.0' ELSE '' END $$;

-- What a value is worth as a condition.
CREATE FUNCTION query.truth(given bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT given <> 0 $$;
CREATE FUNCTION query.truth(given double precision) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT given <> 0 $$;

-- As CAST has them on SQLite: what is no number at its beginning is 0.
CREATE FUNCTION query.to_real(given text) RETURNS double precision LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN given IS NULL THEN NULL ELSE
  coalesce(CAST(substring(given from '^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)') AS double precision), 0) END $$;
CREATE FUNCTION query.to_real(given double precision) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$ SELECT given $$;
CREATE FUNCTION query.to_real(given bigint) RETURNS double precision LANGUAGE sql IMMUTABLE AS
$$ SELECT CAST(given AS double precision) $$;
CREATE FUNCTION query.truth(given text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT query.to_real(given) <> 0 $$;
CREATE FUNCTION query.within_integer(given numeric) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT CAST(least(greatest(given, -9223372036854775808), 9223372036854775807) AS bigint) $$;
CREATE FUNCTION query.to_integer(given text) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN given IS NULL THEN NULL ELSE
  coalesce(query.within_integer(CAST(substring(given from '^\s*([+-]?\d+)') AS numeric)), 0) END $$;
CREATE FUNCTION query.to_integer(given bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT given $$;
CREATE FUNCTION query.to_integer(given double precision) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT query.within_integer(CAST(trunc(given) AS numeric)) $$;
CREATE FUNCTION query.to_number(given text) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$ SELECT query.to_real(given) $$;
CREATE FUNCTION query.to_number(given bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT given $$;
CREATE FUNCTION query.to_number(given double precision) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$ SELECT given $$;
CREATE FUNCTION query.to_text(given text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT given $$;
CREATE FUNCTION query.to_text(given bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT query.as_text(given) $$;
CREATE FUNCTION query.to_text(given double precision) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT query.as_text(given) $$;
CREATE FUNCTION query.to_text(given bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT query.as_text(given) $$;
CREATE FUNCTION query.to_blob(given text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$ SELECT convert_to(given, 'UTF8') $$;
CREATE FUNCTION query.to_blob(given bytea) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$ SELECT given $$;

-- Sums of whole numbers stay whole.
CREATE FUNCTION query.whole(given numeric) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT CAST(given AS bigint) $$;
CREATE FUNCTION query.whole(given double precision) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$ SELECT given $$;

CREATE FUNCTION query.round(given double precision, digits integer) RETURNS double precision LANGUAGE sql IMMUTABLE AS
$$ SELECT CAST(round(CAST(given AS numeric), least(greatest(digits, 0), 30)) AS double precision) $$;
CREATE FUNCTION query.mod(a double precision, b double precision) RETURNS double precision LANGUAGE sql IMMUTABLE AS
$$ SELECT a - b * trunc(a / nullif(b, 0)) $$;
CREATE FUNCTION query.random() RETURNS bigint LANGUAGE sql VOLATILE AS
$$ SELECT CAST(CAST('x' || substr(md5(CAST(gen_random_uuid() AS text)), 1, 16) AS bit(64)) AS bigint) $$;

-- Of several values; where one is NULL, so is the answer.
CREATE FUNCTION query.largest(VARIADIC given anycompatiblearray) RETURNS anycompatible LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN array_position(given, NULL) IS NULL THEN (SELECT max(each) FROM unnest(given) AS each) END $$;
CREATE FUNCTION query.smallest(VARIADIC given anycompatiblearray) RETURNS anycompatible LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN array_position(given, NULL) IS NULL THEN (SELECT min(each) FROM unnest(given) AS each) END $$;

CREATE FUNCTION query.typeof(given anyelement) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN given IS NULL THEN 'null' ELSE CASE CAST(pg_typeof(given) AS text)
  WHEN 'double precision' THEN 'real' WHEN 'numeric' THEN 'real' WHEN 'bytea' THEN 'blob'
  WHEN 'bigint' THEN 'integer' WHEN 'integer' THEN 'integer' ELSE 'text' END END $$;

-- No value may grow without end.
CREATE FUNCTION query.bounded(given text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF octet_length(given) > 1048576 THEN
    RAISE EXCEPTION USING ERRCODE = 'SB001', MESSAGE = 'a value grew past 1048576 bytes; select less';
  END IF;
  RETURN given;
END $$;
CREATE FUNCTION query.replace(given text, old text, new text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  times bigint;
BEGIN
  IF given IS NULL OR old IS NULL OR new IS NULL THEN RETURN NULL; END IF;
  IF old = '' THEN RETURN given; END IF;
  -- How long it will be, before it is made.
  times := (length(given) - length(pg_catalog.replace(given, old, ''))) / length(old);
  IF octet_length(given) + times * (octet_length(new) - octet_length(old)) > 1048576 THEN
    RAISE EXCEPTION USING ERRCODE = 'SB001', MESSAGE = 'a value grew past 1048576 bytes; select less';
  END IF;
  RETURN pg_catalog.replace(given, old, new);
END $$;

CREATE FUNCTION query.length(given text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$ SELECT pg_catalog.length(given) $$;
CREATE FUNCTION query.length(given bytea) RETURNS integer LANGUAGE sql IMMUTABLE AS $$ SELECT pg_catalog.length(given) $$;
CREATE FUNCTION query.length(given bigint) RETURNS integer LANGUAGE sql IMMUTABLE AS
$$ SELECT pg_catalog.length(query.as_text(given)) $$;
CREATE FUNCTION query.length(given double precision) RETURNS integer LANGUAGE sql IMMUTABLE AS
$$ SELECT pg_catalog.length(query.as_text(given)) $$;
CREATE FUNCTION query.hex(given text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT upper(encode(convert_to(given, 'UTF8'), 'hex')) $$;
CREATE FUNCTION query.hex(given bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT upper(encode(given, 'hex')) $$;
CREATE FUNCTION query.hex(given bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT query.hex(query.as_text(given)) $$;
CREATE FUNCTION query.hex(given double precision) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT query.hex(query.as_text(given)) $$;

-- A place below zero counts from the end; the place 0 is one before the first.
CREATE FUNCTION query.substr(given text, place bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN place < 0 THEN right(given, CAST(least(-place, length(given)) AS integer))
  ELSE substring(given from CAST(least(greatest(place, 1), 2147483647) AS integer)) END $$;
CREATE FUNCTION query.substr(given text, place bigint, count bigint) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  first bigint := CASE WHEN place < 0 THEN length(given) + place + 1 ELSE place END;
  past  bigint;
BEGIN
  IF count < 0 THEN
    past := first;
    first := first + count;
  ELSE
    past := first + count;
  END IF;
  first := greatest(first, 1);
  past := least(past, length(given) + 1);
  RETURN substring(given from CAST(least(first, 2147483647) AS integer) for CAST(greatest(past - first, 0) AS integer));
END $$;

-- The pattern first, as in SQLite's functions. Letters of ASCII are the same in both cases, and nothing escapes by itself.
CREATE FUNCTION query."like"(pattern text, given text) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT lower(given COLLATE "C") LIKE lower(pattern COLLATE "C") ESCAPE '' $$;
CREATE FUNCTION query."like"(pattern text, given text, escaper text) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT lower(given COLLATE "C") LIKE lower(pattern COLLATE "C") ESCAPE lower(escaper COLLATE "C") $$;
CREATE FUNCTION query.glob(pattern text, given text) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT given ~ ('^' || coalesce((SELECT string_agg(CASE
    WHEN part[1] = '*' THEN '.*' WHEN part[1] = '?' THEN '.'
    WHEN length(part[1]) > 1 THEN regexp_replace(part[1], '\\', '\\\\', 'g')
    WHEN part[1] ~ '\w' THEN part[1] ELSE '\' || part[1] END, '' ORDER BY place)
  FROM regexp_matches(pattern, '\[\^?\]?[^]]*\]|.', 'g') WITH ORDINALITY AS parts (part, place)), '') || '$') $$;

-- JSON is text, as on SQLite. A path is $.a.b[0], or the name or number of one part.
CREATE FUNCTION query.json_at(given text, path text) RETURNS json LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN path LIKE '$%' THEN CAST(given AS json) #> ARRAY(
    SELECT coalesce(step[1], step[2], step[3]) FROM regexp_matches(path, '\."([^"]*)"|\.([^.[]+)|\[(\d+)\]', 'g') AS step)
  ELSE CAST(given AS json) -> path END $$;
CREATE FUNCTION query.json_scalar(found json) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE json_typeof(found) WHEN 'boolean' THEN CASE CAST(found AS text) WHEN 'true' THEN '1' ELSE '0' END
  ELSE found #>> '{}' END $$;
CREATE FUNCTION query.json_text(given text, path text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT query.json_scalar(query.json_at(given, path)) $$;
CREATE FUNCTION query.json_text(given text, place bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT query.json_scalar(CAST(given AS json) -> CAST(place AS integer)) $$;
CREATE FUNCTION query.json_part(given text, path text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT CAST(query.json_at(given, path) AS text) $$;
CREATE FUNCTION query.json_part(given text, place bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT CAST(CAST(given AS json) -> CAST(place AS integer) AS text) $$;
CREATE FUNCTION query.json_type(given text, path text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE json_typeof(query.json_at(given, path)) WHEN 'string' THEN 'text'
  WHEN 'number' THEN CASE WHEN CAST(query.json_at(given, path) AS text) ~ '^-?\d+$' THEN 'integer' ELSE 'real' END
  WHEN 'boolean' THEN CAST(query.json_at(given, path) AS text) ELSE json_typeof(query.json_at(given, path)) END $$;
CREATE FUNCTION query.json_array_length(given text, path text) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN query.json_at(given, path) IS NULL THEN NULL WHEN json_typeof(query.json_at(given, path)) = 'array'
  THEN json_array_length(query.json_at(given, path)) ELSE 0 END $$;
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

-- A moment as SQLite's functions of time read it, in UTC: a text, the day's number or, with the word for it, seconds since
-- 1970; then changes one after the other. What cannot be read is NULL.
CREATE FUNCTION query.moment(parts text[]) RETURNS timestamp LANGUAGE plpgsql STABLE AS $$
DECLARE
  given  text := CASE WHEN cardinality(parts) = 0 THEN 'now' ELSE btrim(parts[1]) END;
  words  text[];
  part   text;
  number double precision;
  at     timestamp;
BEGIN
  IF given IS NULL OR array_position(parts, NULL) IS NOT NULL THEN RETURN NULL; END IF;
  IF lower(given) = 'now' THEN
    at := statement_timestamp() AT TIME ZONE 'UTC';
  ELSIF given ~ '^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$' THEN
    number := CAST(given AS double precision);
    IF lower(parts[2]) = 'unixepoch' OR (lower(parts[2]) = 'auto' AND (number < 0 OR number >= 5373484.5)) THEN
      at := to_timestamp(number) AT TIME ZONE 'UTC';
    ELSE
      at := timestamp '1970-01-01' + (number - 2440587.5) * interval '1 day';
    END IF;
  ELSE
    words := regexp_match(given, '^(?:(\d{4}-\d\d-\d\d)(?:[ T]|$))?(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?\s*(Z|[+-]\d\d:\d\d)?$');
    IF words IS NULL OR (words[1] IS NULL AND words[2] IS NULL) THEN RETURN NULL; END IF;
    at := CAST(coalesce(words[1], '2000-01-01') || ' ' || coalesce(words[2], '00:00') AS timestamp);
    IF words[3] ~ '^[+-]' THEN at := at - CAST(words[3] AS interval); END IF;
  END IF;
  FOREACH part IN ARRAY parts[2:] LOOP
    words := regexp_match(lower(part), '^([+-]?\d+(?:\.\d+)?) (second|minute|hour|day|month|year)s?$');
    IF words IS NOT NULL THEN
      at := at + CAST(words[1] || ' ' || words[2] AS interval);
    ELSIF lower(part) ~ '^start of (day|month|year)$' THEN
      at := date_trunc(substr(lower(part), 10), at);
    ELSIF lower(part) ~ '^weekday [0-6]$' THEN
      at := at + mod(CAST(right(part, 1) AS integer) - CAST(extract(dow FROM at) AS integer) + 7, 7) * interval '1 day';
    ELSIF lower(part) IN ('localtime', 'subsec', 'subsecond', 'ceiling', 'floor') OR
        lower(part) ~ '^[+-]\d{4}-\d\d-\d\d|^[+-]\d\d:\d\d' THEN
      RAISE EXCEPTION USING ERRCODE = 'SB002', MESSAGE = part || ' is not on PostgreSQL; change a time by days, hours or seconds';
    ELSIF lower(part) NOT IN ('unixepoch', 'auto', 'julianday', 'utc') THEN
      RETURN NULL;
    END IF;
  END LOOP;
  RETURN date_trunc('milliseconds', at);
EXCEPTION WHEN datetime_field_overflow OR invalid_datetime_format OR interval_field_overflow THEN
  RETURN NULL;
END $$;
CREATE FUNCTION query."date"(parts text[]) RETURNS text LANGUAGE sql STABLE AS
$$ SELECT to_char(query.moment(parts), 'YYYY-MM-DD') $$;
CREATE FUNCTION query."time"(parts text[]) RETURNS text LANGUAGE sql STABLE AS
$$ SELECT to_char(query.moment(parts), 'HH24:MI:SS') $$;
CREATE FUNCTION query."datetime"(parts text[]) RETURNS text LANGUAGE sql STABLE AS
$$ SELECT to_char(query.moment(parts), 'YYYY-MM-DD HH24:MI:SS') $$;
CREATE FUNCTION query."unixepoch"(parts text[]) RETURNS bigint LANGUAGE sql STABLE AS
$$ SELECT CAST(floor(extract(epoch FROM query.moment(parts))) AS bigint) $$;
CREATE FUNCTION query."julianday"(parts text[]) RETURNS double precision LANGUAGE sql STABLE AS
$$ SELECT CAST(extract(epoch FROM query.moment(parts)) / 86400 + 2440587.5 AS double precision) $$;
CREATE FUNCTION query.strftime(format text, parts text[]) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  at      timestamp := query.moment(parts);
  token   text[];
  written text := '';
BEGIN
  IF at IS NULL OR format IS NULL THEN RETURN NULL; END IF;
  FOR token IN SELECT regexp_matches(format, '%.|[^%]+|%', 'g') LOOP
    written := written || CASE
      WHEN left(token[1], 1) <> '%' THEN token[1]
      WHEN token[1] = '%%' THEN '%'
      WHEN token[1] = '%s' THEN CAST(CAST(floor(extract(epoch FROM at)) AS bigint) AS text)
      WHEN token[1] = '%w' THEN to_char(extract(dow FROM at), 'FM0')
      WHEN token[1] = '%J' THEN query.as_text(CAST(extract(epoch FROM at) / 86400 + 2440587.5 AS double precision))
      WHEN token[1] = '%f' THEN to_char(at, 'SS.MS')
      ELSE to_char(at, CASE token[1] WHEN '%Y' THEN 'YYYY' WHEN '%m' THEN 'MM' WHEN '%d' THEN 'DD' WHEN '%H' THEN 'HH24'
        WHEN '%M' THEN 'MI' WHEN '%S' THEN 'SS' WHEN '%j' THEN 'DDD' WHEN '%e' THEN 'FMDD' WHEN '%F' THEN 'YYYY-MM-DD'
        WHEN '%T' THEN 'HH24:MI:SS' WHEN '%R' THEN 'HH24:MI' WHEN '%I' THEN 'HH12' WHEN '%p' THEN 'AM' WHEN '%u' THEN 'ID'
        WHEN '%G' THEN 'IYYY' WHEN '%V' THEN 'IW' END)
    END;
    -- One that is not known makes the whole NULL, as on SQLite.
    IF written IS NULL THEN RETURN NULL; END IF;
  END LOOP;
  RETURN written;
END $$;
