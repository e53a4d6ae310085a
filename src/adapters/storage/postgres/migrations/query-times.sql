-- SQLite's functions of time for POST /query, beside query.sql. Times are in UTC and go to the millisecond.

-- A day by its numbers: what is too much for its month runs over into the next one, as SQLite has it.
CREATE FUNCTION query.day_of(year integer, month integer, day integer) RETURNS timestamp LANGUAGE sql IMMUTABLE AS
$$ SELECT make_date(CASE WHEN year <= 0 THEN year - 1 ELSE year END, month, 1) + (day - 1) * interval '1 day' $$;
-- There is a year 0, which PostgreSQL calls the first before Christ.
CREATE FUNCTION query.year_of(at timestamp) RETURNS integer LANGUAGE sql IMMUTABLE AS
$$ SELECT CAST(extract(year FROM at) AS integer) + CASE WHEN extract(year FROM at) < 0 THEN 1 ELSE 0 END $$;
-- In two steps, because an interval of milliseconds alone is not exact over thousands of years.
CREATE FUNCTION query.moved(at timestamp, by_ms double precision) RETURNS timestamp LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN abs(by_ms) <= 464269060800000 THEN at + trunc(by_ms / 86400000) * interval '1 day'
  + (by_ms - trunc(by_ms / 86400000) * 86400000) * interval '1 millisecond' END $$;
CREATE FUNCTION query.moved_months(at timestamp, years integer, months integer) RETURNS timestamp LANGUAGE sql IMMUTABLE AS
$$ SELECT query.day_of(CAST(floor(count / 12.0) AS integer), mod(mod(count, 12) + 12, 12) + 1, CAST(extract(day FROM at) AS integer))
    + (at - date_trunc('day', at))
  FROM (SELECT (query.year_of(at) + years) * 12 + CAST(extract(month FROM at) AS integer) - 1 + months AS count) AS counted $$;

CREATE FUNCTION query.not_here(part text, remedy text) RETURNS timestamp LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'SB002', MESSAGE = part || ' is not on PostgreSQL; ' || remedy;
END $$;

-- A number is a day's, or seconds since 1970 with the word for it behind it.
CREATE FUNCTION query.moment_of_number(number double precision, meaning text) RETURNS timestamp LANGUAGE sql IMMUTABLE AS
$$ SELECT query.moved(timestamp '1970-01-01',
  CASE WHEN meaning = 'unixepoch' OR (meaning = 'auto' AND NOT (number >= 0 AND number < 5373484.5))
    THEN floor(query.within(number * 1000, -210866760000000, 253402300799999) + 0.5)
    ELSE floor(query.within(number, 0, 5373484.5) * 86400000 + 0.5) - 210866760000000 END) $$;

-- A day, a time of 2000-01-01 or both, perhaps with its distance from UTC.
CREATE FUNCTION query.moment_of_text(given text) RETURNS timestamp LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  words text[] := regexp_match(given, '^(?:(-?\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[\sT]*)?'
    || '(?:([01]\d|2[0-4]):([0-5]\d)(?::([0-5]\d)(\.\d+)?)?\s*(?:[Zz]|([+-])(0\d|1[0-4]):([0-5]\d))?\s*)?$');
  at    timestamp;
BEGIN
  IF words IS NULL OR (words[1] IS NULL AND words[4] IS NULL) THEN RETURN NULL; END IF;
  IF words[4] = '24' THEN RETURN query.not_here('a time of 24 hours', 'write 00:00 of the next day'); END IF;
  at := query.day_of(CAST(coalesce(words[1], '2000') AS integer), CAST(coalesce(words[2], '1') AS integer),
    CAST(coalesce(words[3], '1') AS integer));
  IF words[4] IS NULL THEN RETURN at; END IF;
  at := at + CAST(words[4] || ':' || words[5] || ':' || coalesce(words[6], '00') AS interval)
    + least(pg_catalog.round(CAST('0' || coalesce(words[7], '.0') AS numeric), 3), 0.999) * interval '1 second';
  IF words[8] IS NULL THEN RETURN at; END IF;
  RETURN at - make_interval(hours => CAST(words[8] || words[9] AS integer), mins => CAST(words[8] || words[10] AS integer));
END $$;

-- Months and years are added to their numbers, and the day stays what it is; parts of them are days of 1/30 and 1/365.
CREATE FUNCTION query.moved_by(at timestamp, count double precision, unit text) RETURNS timestamp LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  whole integer;
  ms    double precision := CASE unit WHEN 'second' THEN 1e3 WHEN 'minute' THEN 6e4 WHEN 'hour' THEN 36e5 WHEN 'day' THEN 864e5
    WHEN 'month' THEN 2592e6 ELSE 31536e6 END;
BEGIN
  IF abs(count) > 464269060800000 / ms THEN RETURN NULL; END IF;
  IF unit IN ('month', 'year') THEN
    whole := CAST(trunc(count) AS integer);
    count := count - whole;
    at := query.moved_months(at, CASE unit WHEN 'year' THEN whole ELSE 0 END, CASE unit WHEN 'month' THEN whole ELSE 0 END);
  END IF;
  RETURN query.moved(at, trunc(count * ms + CASE WHEN count < 0 THEN -0.5 ELSE 0.5 END));
END $$;

CREATE FUNCTION query.changed(at timestamp, part text) RETURNS timestamp LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  words text[] := regexp_match(part, '^([+-]?\d*\.?\d*(?:e[+-]?\d+)?)\s+(second|minute|hour|day|month|year)s?$');
BEGIN
  IF words[1] ~ '^[+-]?(?:\d|\.\d)' AND words[1] !~ '^\.' THEN
    RETURN query.moved_by(at, CAST(words[1] AS double precision), words[2]);
  ELSIF part ~ '^start of (?:day|month|year)$' THEN
    RETURN date_trunc(substr(part, 10), at);
  ELSIF part ~ '^weekday\s+[0-6](?:\.0*)?\s*$' THEN
    RETURN at + mod(CAST(substring(part from '\d') AS integer) - CAST(extract(dow FROM at) AS integer) + 7, 7) * interval '1 day';
  ELSIF part ~ '^[+-]?(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?\s*$' THEN
    words := regexp_match(part, '^([+-]?)(.*)$');
    RETURN at + (query.moment_of_text(words[2]) - timestamp '2000-01-01') * CASE words[1] WHEN '-' THEN -1 ELSE 1 END;
  ELSIF part IN ('localtime', 'utc') THEN
    RETURN query.not_here(part, 'times are in UTC; leave it out, or add the hours');
  ELSIF part IN ('subsec', 'subsecond') THEN
    RETURN query.not_here(part, 'write %f in strftime');
  ELSIF part IN ('ceiling', 'floor') OR part ~ '^[+-]\d{4,5}-\d\d-\d\d|^[+-]?(?:24:|\d\d:\d\d.*[z+-])' THEN
    RETURN query.not_here(part, 'change a time by days, hours or seconds');
  END IF;
  RETURN NULL;
END $$;

-- A moment as SQLite's functions of time read it: a text or a number, then changes one after the other. What cannot be
-- read is NULL.
CREATE FUNCTION query.moment(parts text[]) RETURNS timestamp LANGUAGE plpgsql STABLE AS $$
DECLARE
  given   text := CASE WHEN cardinality(parts) = 0 THEN 'now' ELSE parts[1] END;
  meaning text := lower(parts[2]);
  at      timestamp;
BEGIN
  IF given IS NULL OR array_position(parts, NULL) IS NOT NULL THEN RETURN NULL; END IF;
  IF lower(given) = 'now' THEN
    at := date_trunc('milliseconds', statement_timestamp() AT TIME ZONE 'UTC');
  ELSIF lower(given) IN ('subsec', 'subsecond') THEN
    RETURN query.not_here(lower(given), 'write %f in strftime');
  ELSIF given ~ '^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$' THEN
    at := query.moment_of_number(CAST(given AS double precision), meaning);
  ELSIF meaning IN ('unixepoch', 'julianday') THEN
    RETURN NULL;
  ELSE
    at := query.moment_of_text(given);
  END IF;
  FOR place IN 2 .. cardinality(parts) LOOP
    CONTINUE WHEN place = 2 AND meaning IN ('unixepoch', 'auto', 'julianday');
    at := query.changed(at, lower(parts[place]));
  END LOOP;
  RETURN CASE WHEN at BETWEEN timestamp '4714-11-24 12:00 BC' AND timestamp '9999-12-31 23:59:59.999' THEN at END;
EXCEPTION WHEN datetime_field_overflow OR invalid_datetime_format OR interval_field_overflow OR numeric_value_out_of_range THEN
  RETURN NULL;
END $$;

CREATE FUNCTION query.written_year(at timestamp) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN query.year_of(at) < 0 THEN '-' ELSE '' END || lpad(CAST(abs(query.year_of(at)) AS text), 4, '0') $$;
-- Its sign is one of the places.
CREATE FUNCTION query.padded(number integer, places integer) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN length(CAST(number AS text)) >= places THEN CAST(number AS text)
  WHEN number < 0 THEN '-' || lpad(CAST(-number AS text), places - 1, '0') ELSE lpad(CAST(number AS text), places, '0') END $$;
CREATE FUNCTION query.julian_day(at timestamp) RETURNS double precision LANGUAGE sql IMMUTABLE AS
$$ SELECT CAST((extract(epoch FROM at) + 210866760000) / 86400 AS double precision) $$;
CREATE FUNCTION query."date"(parts text[]) RETURNS text LANGUAGE sql STABLE AS
$$ SELECT query.written_year(at) || to_char(at, '-MM-DD') FROM query.moment(parts) AS at $$;
CREATE FUNCTION query."time"(parts text[]) RETURNS text LANGUAGE sql STABLE AS
$$ SELECT to_char(query.moment(parts), 'HH24:MI:SS') $$;
CREATE FUNCTION query."datetime"(parts text[]) RETURNS text LANGUAGE sql STABLE AS
$$ SELECT query.written_year(at) || to_char(at, '-MM-DD HH24:MI:SS') FROM query.moment(parts) AS at $$;
CREATE FUNCTION query."unixepoch"(parts text[]) RETURNS bigint LANGUAGE sql STABLE AS
$$ SELECT CAST(floor(extract(epoch FROM query.moment(parts))) AS bigint) $$;
CREATE FUNCTION query."julianday"(parts text[]) RETURNS double precision LANGUAGE sql STABLE AS
$$ SELECT query.julian_day(query.moment(parts)) $$;

-- A week belongs to the year that has its Thursday.
CREATE FUNCTION query.thursday_of(at timestamp) RETURNS timestamp LANGUAGE sql IMMUTABLE AS
$$ SELECT at + (4 - CAST(extract(isodow FROM at) AS integer)) * interval '1 day' $$;
-- How many weeks of a year have begun that begin like this one: `weekday` is how many of its days are over.
CREATE FUNCTION query.week_of(at timestamp, weekday integer) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT to_char((CAST(extract(doy FROM at) AS integer) + 6 - weekday) / 7, 'FM00') $$;
-- What stands for a token of strftime; NULL for one that SQLite does not know either.
CREATE FUNCTION query.written(at timestamp, token text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN CASE token
    WHEN '%%' THEN '%'
    WHEN '%d' THEN to_char(at, 'DD')
    WHEN '%e' THEN lpad(to_char(at, 'FMDD'), 2)
    WHEN '%f' THEN to_char(at, 'SS.MS')
    WHEN '%F' THEN query.padded(query.year_of(at), 4) || to_char(at, '-MM-DD')
    WHEN '%g' THEN query.padded(mod(query.year_of(query.thursday_of(at)), 100), 2)
    WHEN '%G' THEN query.padded(query.year_of(query.thursday_of(at)), 4)
    WHEN '%H' THEN to_char(at, 'HH24')
    WHEN '%I' THEN to_char(at, 'HH12')
    WHEN '%j' THEN to_char(at, 'DDD')
    WHEN '%J' THEN query.sixteen_digits(query.julian_day(at))
    WHEN '%k' THEN lpad(to_char(at, 'FMHH24'), 2)
    WHEN '%l' THEN lpad(to_char(at, 'FMHH12'), 2)
    WHEN '%m' THEN to_char(at, 'MM')
    WHEN '%M' THEN to_char(at, 'MI')
    WHEN '%p' THEN to_char(at, 'AM')
    WHEN '%P' THEN to_char(at, 'am')
    WHEN '%R' THEN to_char(at, 'HH24:MI')
    WHEN '%s' THEN CAST(CAST(floor(extract(epoch FROM at)) AS bigint) AS text)
    WHEN '%S' THEN to_char(at, 'SS')
    WHEN '%T' THEN to_char(at, 'HH24:MI:SS')
    WHEN '%u' THEN to_char(extract(isodow FROM at), 'FM0')
    WHEN '%U' THEN query.week_of(at, CAST(extract(dow FROM at) AS integer))
    WHEN '%V' THEN query.week_of(query.thursday_of(at), 0)
    WHEN '%w' THEN to_char(extract(dow FROM at), 'FM0')
    WHEN '%W' THEN query.week_of(at, CAST(extract(isodow FROM at) AS integer) - 1)
    WHEN '%Y' THEN query.padded(query.year_of(at), 4)
  END;
END $$;
CREATE FUNCTION query.sixteen_digits(given double precision) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT CAST(trim_scale(pg_catalog.round(query.exactly(given), 16 - length(CAST(trunc(CAST(given AS numeric)) AS text)))) AS text) $$;
CREATE FUNCTION query.strftime(format text, parts text[]) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  at    timestamp := query.moment(parts);
  token text[];
  text  text := '';
BEGIN
  IF at IS NULL OR format IS NULL THEN RETURN NULL; END IF;
  FOR token IN SELECT regexp_matches(format, '%.|[^%]+|%', 'g') LOOP
    text := text || CASE WHEN left(token[1], 1) <> '%' THEN token[1] ELSE query.written(at, token[1]) END;
    -- One that is not known makes the whole NULL, as on SQLite.
    IF text IS NULL THEN RETURN NULL; END IF;
  END LOOP;
  RETURN text;
END $$;
