-- What POST /query may reach, and nothing else: the tables it reads and writes, as views, and those of SQLite's functions
-- that PostgreSQL does not have, or has with another meaning. Made anew whenever this text or the list of columns changes.

-- Numbers as SQLite writes them: a fraction always shows that it is one, and has no exponent before 17 digits.
CREATE FUNCTION query.as_text(given bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT CAST(given AS text) $$;
CREATE FUNCTION query.as_text(given numeric) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT CAST(given AS text) $$;
CREATE FUNCTION query.as_text(given text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT given $$;
CREATE FUNCTION query.as_text(given bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT convert_from(given, 'UTF8') $$;
CREATE FUNCTION query.as_text(given double precision) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT regexp_replace(CASE WHEN abs(given) = 'Infinity' THEN left(CAST(given AS text), -5)
  WHEN abs(given) >= 1e15 AND abs(given) < 1e17 THEN CAST(CAST(CAST(given AS text) AS numeric) AS text)
  ELSE CAST(given AS text) END, '^(-?\d+)(e.*)?$', '\1.0\2') $$;

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
$$ SELECT CASE WHEN given IS NOT NULL THEN CAST(least(greatest(given, -9223372036854775808), 9223372036854775807) AS bigint) END $$;
CREATE FUNCTION query.to_integer(given text) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN given IS NULL THEN NULL ELSE
  coalesce(query.within_integer(CAST(substring(given from '^\s*([+-]?\d+)') AS numeric)), 0) END $$;
CREATE FUNCTION query.to_integer(given bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT given $$;
CREATE FUNCTION query.to_integer(given double precision) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT query.within_integer(CAST(trunc(given) AS numeric)) $$;
-- Whether a text is a whole number is seen too late: 12 and 12.0 are divided in different ways.
CREATE FUNCTION query.to_number(given text) RETURNS double precision LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF given IS NULL THEN RETURN NULL; END IF;
  RAISE EXCEPTION USING ERRCODE = 'SB002',
    MESSAGE = 'CAST of a text AS NUMERIC is not on PostgreSQL; write AS INTEGER or AS REAL';
END $$;
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

-- What a fraction is worth to its last binary digit: 1.005 is a little less than it is written as, and rounds to 1.0.
CREATE FUNCTION query.exactly(given double precision) RETURNS numeric LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  bits  bigint  := CAST(CAST('x' || encode(float8send(given), 'hex') AS bit(64)) AS bigint);
  power integer := CAST((bits >> 52) & 2047 AS integer);
  worth numeric := CAST(bits & 4503599627370495 AS numeric);
BEGIN
  -- Infinity, and what is no number.
  IF given IS NULL OR power = 2047 THEN RETURN CAST(given AS numeric); END IF;
  IF power > 0 THEN worth := worth + 4503599627370496; END IF;
  IF bits < 0 THEN worth := -worth; END IF;
  power := greatest(power, 1) - 1075;
  IF power >= 0 THEN RETURN worth * pg_catalog.power(CAST(2 AS numeric), power); END IF;
  -- A half is five tenths: so no division has to end somewhere.
  RETURN worth * pg_catalog.power(CAST(5 AS numeric), -power) * CAST('1e' || power AS numeric);
END $$;
CREATE FUNCTION query.round(given double precision, digits bigint) RETURNS double precision LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF digits IS NULL THEN RETURN NULL; END IF;
  -- Numbers as large as these are whole.
  IF abs(given) > 4503599627370496 THEN RETURN given; END IF;
  IF digits <= 0 THEN RETURN trunc(given + CASE WHEN given < 0 THEN -0.5 ELSE 0.5 END) + 0; END IF;
  RETURN CAST(pg_catalog.round(query.exactly(given), CAST(least(digits, 30) AS integer)) AS double precision);
END $$;
CREATE FUNCTION query.mod(a double precision, b double precision) RETURNS double precision LANGUAGE sql IMMUTABLE AS
$$ SELECT CAST(mod(query.exactly(a), nullif(query.exactly(b), 0)) AS double precision) $$;
-- By % only what is whole of both is divided.
CREATE FUNCTION query.remainder(a bigint, b bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT a % nullif(b, 0) $$;
CREATE FUNCTION query.remainder(a double precision, b double precision) RETURNS double precision LANGUAGE sql IMMUTABLE AS
$$ SELECT CAST(query.to_integer(a) % nullif(query.to_integer(b), 0) AS double precision) $$;
-- Shifts below zero go the other way, and those past 64 places leave nothing.
CREATE FUNCTION query.shift_right(given bigint, places bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN places IS NULL THEN NULL WHEN places <= -64 THEN 0 * given WHEN places < 0 THEN given << CAST(-places AS integer)
  ELSE given >> CAST(least(places, 63) AS integer) END $$;
CREATE FUNCTION query.shift_left(given bigint, places bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT query.shift_right(given, CASE WHEN places > -64 THEN -places WHEN places <= -64 THEN 64 END) $$;
-- Where a function has no value SQLite says NULL, and PostgreSQL that the statement is at fault.
CREATE FUNCTION query.within(given double precision, low double precision, high double precision)
RETURNS double precision LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN given BETWEEN low AND high THEN given END $$;
CREATE FUNCTION query.power(base double precision, exponent double precision) RETURNS double precision LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN base = 0 AND exponent < 0 THEN CAST('Infinity' AS double precision)
  WHEN base >= 0 OR exponent = trunc(exponent) THEN pg_catalog.power(base, exponent) END $$;
CREATE FUNCTION query.log(base double precision, given double precision) RETURNS double precision LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN base > 1 AND given > 0 THEN ln(given) / ln(base) END $$;
-- With thirty digits, so that the last one of the result is right.
CREATE FUNCTION query.log2(given double precision) RETURNS double precision LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN given > 0 THEN CAST(pg_catalog.log(2.0, query.exactly(given) + CAST('0e-30' AS numeric)) AS double precision) END $$;
-- Whole numbers stay whole.
CREATE FUNCTION query.ceil(given bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT given $$;
CREATE FUNCTION query.ceil(given double precision) RETURNS double precision LANGUAGE sql IMMUTABLE AS
$$ SELECT pg_catalog.ceil(given) $$;
CREATE FUNCTION query.floor(given bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT given $$;
CREATE FUNCTION query.floor(given double precision) RETURNS double precision LANGUAGE sql IMMUTABLE AS
$$ SELECT pg_catalog.floor(given) $$;
CREATE FUNCTION query.trunc(given bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT given $$;
CREATE FUNCTION query.trunc(given double precision) RETURNS double precision LANGUAGE sql IMMUTABLE AS
$$ SELECT pg_catalog.trunc(given) $$;

-- How many rows LIMIT and OFFSET mean: below zero is without a limit, and none left out.
CREATE FUNCTION query.checked_count(given numeric) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF given = trunc(given) AND abs(given) <= 9223372036854775807 THEN RETURN CAST(given AS bigint); END IF;
  RAISE EXCEPTION USING ERRCODE = 'SB003', MESSAGE = 'LIMIT and OFFSET must be whole numbers';
END $$;
CREATE FUNCTION query.row_count(given bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT query.checked_count(CAST(given AS numeric)) $$;
CREATE FUNCTION query.row_count(given double precision) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT query.checked_count(CAST(given AS numeric)) $$;
CREATE FUNCTION query.row_count(given text) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT query.checked_count(CASE WHEN given ~ '^\s*[+-]?\d+\s*$' THEN CAST(given AS numeric) END) $$;
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
  WHEN place >= 0 THEN substring(given from CAST(least(greatest(place, 1), 2147483647) AS integer)) END $$;
CREATE FUNCTION query.substr(given text, place bigint, count bigint) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  first bigint := CASE WHEN place < 0 THEN length(given) + place + 1 ELSE place END;
  past  bigint;
BEGIN
  IF place IS NULL OR count IS NULL THEN RETURN NULL; END IF;
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
