// Expressions and queries that POST /query answers alike on SQLite and PostgreSQL, where the two by themselves differ or might.

export type Asked = readonly [list: string, params: readonly unknown[]];

const NUMBERS: readonly Asked[] = [
  ['0.1 + 0.2, 5 / 2, -5 / 2, -5 % 3, 5 % -3, 5 & 3, 5 | 3, ~5, -(-5), 0x10', []],
  ['5.5 % 2, -7.5 % 2, 5 % 2.5, 5.5 % 0, 7.9 % -3.9, NULL % 2, 5.5 % NULL, typeof(5 % 2), typeof(5.5 % 2)', []],
  ['1 << 62, 1 << 63, 1 << 64, 1 << 65, 1 >> 1, -1 >> 1, 1 << -1, 8 >> -2, 1.9 << 1, NULL << 1, 1 << NULL', []],
  ['-8 >> 64, -8 >> 100, 8 >> 64, -1 << 64, 1 << -64, -1 << -64, -1 << -63, 1 >> -63', []],
  ['round(2.5), round(-2.5), round(0.5), round(-0.4), round(0.49999999999999994), round(5), round(1e300, 2)', []],
  ['round(1.005, 2), round(-1.005, 2), round(2.675, 2), round(0.125, 2), round(?, 2)', [1234567.895]],
  ['round(123.456, -1), round(1e-20, 22), round(1234567.891, 1.9), round(0.1 + 0.2, 17), round(NULL, 1)', []],
  ['typeof(ceil(5)), typeof(floor(5.5)), floor(5) / 2, trunc(-7) / 2, ceil(NULL), ceiling(1.1), floor(-1.5)', []],
  ['sqrt(2), power(2, 10), exp(1), ln(2), log2(3), log2(0.1), log10(1000), log(3, 81), pow(2.5, 2)', []],
  ['sqrt(-1), ln(0), ln(-1), log(-1), log10(0), log2(0), log(0.5, 8), log(1, 2), log(2, 0), log(0, 2)', []],
  ['asin(2), acos(-2), acosh(0.5), atanh(2), atanh(1), atanh(-1), acos(1)', []],
  ['power(0, -1), power(-8, 0.5), power(-2, 3), power(2, -1), power(0, 0), power(NULL, 1)', []],
  ['mod(5.3, 0.1), mod(-7.5, 2), mod(7, 2), mod(1, 0), mod(1e300, 7), mod(7.5, -2)', []],
  ['abs(-9223372036854775807), abs(?), sign(-3), sign(0), sign(2.5)', [-1.5]],
  ['9007199254740993, 9223372036854775807, -9223372036854775808, ? + 1', [9007199254740991]],
  ['CAST(1e30 AS INTEGER), CAST(? AS INTEGER), CAST(? AS INTEGER)', ['0x10', '9223372036854775808']],
  ['CAST(? AS REAL), CAST(? AS REAL), CAST(CAST(NULL AS REAL) AS INTEGER)', ['.5', 'inf']],
  ['CAST(12 AS NUMERIC) / 5, CAST(2.5 AS NUMERIC), CAST(NULL AS NUMERIC)', []],
  ['CAST(1e21 AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT)', [1e15, 0.1, 123456789.12345679]],
  ['CAST(? AS TEXT), 1e15 || ?, 1e16 || ?, 1e17 || ?, power(0, -1) || ?', [1e-7, '', '', '', '']],
  ['typeof(1), typeof(1.0), typeof(?), typeof(NULL), typeof(1 / 2), typeof(1 + 1.0)', ['x']],
];

const TEXTS: readonly Asked[] = [
  ['lower(?), upper(?)', ['ÄÖ Ж', 'äö ж']],
  ['? LIKE ?, ? LIKE ?, ? LIKE ?, NULL LIKE ?', ['Ä', 'ä', 'straße', 'STRASSE', 'a\nb', 'A%B', 'x']],
  ['length(?), length(?), instr(?, ?), substr(?, 2, 1)', ['😀', 'ä', '😀b', 'b', '😀b']],
  ['substr(?, 1.9), substr(?, 2, 1.9), substr(?, NULL), substr(?, 1, NULL)', ['abc', 'abc', 'abc', 'abc']],
  ['NULL || ?, ? || 1.0, concat(NULL, 1, 2.5), concat_ws(?, NULL, 1, 2)', ['x', 'a', '-']],
  ['replace(?, ?, ?), replace(?, ?, ?)', ['aaa', 'a', 'bb', 'aaa', '', 'bb']],
  ['trim(?), ltrim(?), rtrim(?), trim(?)', ['\t a \n', '\ta', 'a\t', '\u00a0a\u00a0']],
  ['hex(?), hex(NULL), unicode(?), unicode(?), unicode(NULL)', ['äb', '😀', '']],
  ['? = ?, ? < ?, ? < ?, ? BETWEEN ? AND ?', ['a', 'A', 'Z', 'a', 'ä', 'z', 'b', 'a', 'c']],
];

/** The text is kept as it was written: blanks, a name that stands twice, numbers that are names. */
const DOCUMENT =
  '{"a": [1, 2, {"b": [ {"c": "x \\" y"} ]}], "d e": {"f": true}, "g": null, "a.b": "7", "0": "zero", "dup": "1", "dup": "2"}';
const PATHS = [
  ...[
    '$',
    '$.a',
    '$.a[2].b',
    '$.a[#-1]',
    '$.a[#-1].b[0].c',
    '$.a[#-4]',
    '$.a[#]',
    '$.a[#-0]',
    '$.a[9]',
    '$.a[99999999999]',
  ],
  ...['$."d e"', '$.d e', '$."a.b"', '$.g', '$.g.x', '$.0', '$[0]', '$.a.0', '$.dup', '$.zz'],
];
const JSONS: readonly Asked[] = [
  ...PATHS.map(
    (path): Asked => ['json_extract(?, ?), ? -> ?, json_type(?, ?)', [DOCUMENT, path, DOCUMENT, path, DOCUMENT, path]],
  ),
  ...[0, -1, -3, -4, '[1]', '[#-1]', '1', '$[#-2]'].map(
    (place): Asked => ['? -> ?, (? ->> ?) || ?', ['[10, "q" ,[1, 2 ]]', place, '["a", "q" ,"c"]', place, '']],
  ),
  ['json_extract(?, ?), json_extract(NULL, ?), json_extract(?, NULL)', ['{"a":"\\u0041\\u00e4"}', '$.a', '$', '{}']],
  ['json_extract(?, ?)', ['{"a":[1,{"b":null}]}', '$.a[1].b']],
  ['? -> ?, ? ->> ?', ['{"a":"x"}', 'a', '{"a":"x"}', '$.a']],
  ['json_valid(?), json_valid(?), json_valid(?), json_valid(?)', ['{}', '{a:1}', '', '"\\u0000"']],
  ['json_array(?, 1.0, 1e3), json_object(?, ?, ?, NULL)', ['ä"\n', 'b', 1, 'a']],
  ['json_array_length(?, ?), json_array_length(?, ?)', ['{"a":[1,2]}', '$.a', '{"a":1}', '$.a']],
];

const QUERIES: readonly Asked[] = [
  ['avg(seq), typeof(avg(seq)), typeof(sum(seq)), typeof(total(seq)), median(seq) FROM trade_signals', []],
  ['sum(seq), total(seq), count(*), max(seq), group_concat(seq) FROM trade_signals WHERE 0', []],
  ['group_concat(symbol, ?), string_agg(symbol, ?) FROM (SELECT symbol FROM trade_signals ORDER BY seq)', ['-', ',']],
  ['json_group_array(seq), json_group_object(seq, symbol) FROM (SELECT * FROM trade_signals ORDER BY seq)', []],
  ['NULL = NULL, NULL IS NULL, NULL AND 0, NULL OR 1, 1 = 1.0, TRUE, FALSE, TRUE + TRUE', []],
  ['nullif(1, 1), ifnull(NULL, 2), coalesce(NULL, NULL, 3)', []],
  ['CASE WHEN NULL THEN 1 ELSE 2 END, CASE 1 WHEN 1.0 THEN ? END', ['y']],
  ['1 IN (1, NULL), 2 IN (1, NULL), 2 NOT IN (1, NULL), EXISTS (SELECT 1), (SELECT 1 WHERE 0)', []],
  ['first_value(seq) OVER (ORDER BY seq DESC) AS f FROM trade_signals ORDER BY seq', []],
  ['lag(seq) OVER w, lead(seq, 2, -1) OVER w, ntile(2) OVER w FROM trade_signals WINDOW w AS (ORDER BY seq)', []],
  ['symbol, count(*) FROM trade_signals GROUP BY symbol ORDER BY symbol', []],
  ['DISTINCT lower(symbol) AS s FROM trade_signals ORDER BY s', []],
  ['timestamp / 1000, timestamp / 1000.0 FROM trade_signals ORDER BY seq', []],
  ['seq FROM trade_signals ORDER BY seq LIMIT 2 OFFSET 1', []],
  ['seq FROM trade_signals ORDER BY seq LIMIT -1', []],
  ['seq FROM trade_signals ORDER BY seq LIMIT 2 OFFSET -1', []],
  ['seq FROM trade_signals ORDER BY seq LIMIT ? OFFSET ?', [-5, 2]],
  ['seq FROM trade_signals ORDER BY seq LIMIT ?', ['3']],
  ['seq FROM trade_signals ORDER BY seq LIMIT 2.0', []],
  ['seq FROM trade_signals ORDER BY seq LIMIT 9223372036854775807 OFFSET 2', []],
];

export const SAME_ANSWERS: readonly Asked[] = [...NUMBERS, ...TEXTS, ...JSONS, ...QUERIES];

/** At fault on both. */
export const SAME_FAULTS: readonly Asked[] = [
  ...[2.5, null, 'x'].map((rows): Asked => ['seq FROM trade_signals LIMIT ?', [rows]]),
  ['seq FROM trade_signals LIMIT 1 OFFSET NULL', []],
  ...['$.', '$..a', '$.a[x]', '$.a[-1]', '$.a[', 'a', '', 'x$', '$x', '$.a[0]x'].map(
    (path): Asked => ['json_extract(?, ?)', [DOCUMENT, path]],
  ),
  ['? -> ?', [DOCUMENT, '']],
];

/** What functions of time may begin with; the last ones are none. */
export const MOMENTS: readonly unknown[] = [
  ...['2024-02-03 14:05:06.789', '2024-01-31', '2023-12-31 23:59:59', '2024-02-30', '2024-04-31', '2021-01-03'],
  ...[
    '0000-03-01',
    '-0001-01-01',
    '-4712-05-05 12:00',
    '9999-12-31',
    '9999-12-31 23:59:59.9999',
    '1969-12-31 23:59:59',
  ],
  ...['2024-02-03T04:05', '2024-02-03  T 04:05', '2024-02-0304:05', '2024-02-03 ', '2024-02-03 04:05 z '],
  ...['2024-02-03 04:05:06+14:00', '2024-02-03 04:05-02:30', '04:05:06.7', '14:05', ' 5 ', '2460344.25', '1e6', '0.25'],
  ...[
    2460343.5,
    5373484.499,
    5373484.5,
    -1,
    '25:00',
    '04:60',
    '2024-02-03 Z',
    '2024-02-03+02:00',
    '04:05-15:00',
    '04:05:06.',
  ],
  ...['2024-13-01', '2024-00-10', '2024-01-32', '2024-2-3', ' 2024-02-03', '20240203', '2024-02-03t04:05', '', 'now '],
];
export const TOKENS = '%d|%e|%f|%F|%g|%G|%H|%I|%j|%J|%k|%l|%m|%M|%p|%P|%R|%s|%S|%T|%u|%U|%V|%w|%W|%Y|%%';

/** How a time may be changed; the last ones change nothing and are none. */
export const CHANGES: readonly string[] = [
  ...[
    '+1 month',
    '-1 month',
    '+1.5 months',
    '-1.5 months',
    '+13 months',
    '-25 months',
    '+1 year',
    '-0.5 year',
    '+1.25 YEARS',
  ],
  ...[
    '-8000 years',
    '+1 day',
    '-1.5 days',
    '+1e2 days',
    '1 day',
    '+1  day',
    '+.5 day',
    '+1.0006 seconds',
    '-0.0006 seconds',
  ],
  ...[
    '+90 minutes',
    '+25 hours',
    'start of month',
    'START OF YEAR',
    'start of day',
    'weekday 0',
    'weekday 6',
    'weekday 3.0',
  ],
  ...['12:30', '-12:30', '+01:02:03.4567', '+23:59', '12:30:45 ', 'auto', '+464269060799999 seconds', '+100000 years'],
  ...[
    '+1days',
    '+1  day ',
    '.5 days',
    '+1 dayss',
    '+1 week',
    'start of week',
    'weekday 7',
    '25:00',
    '+12:60',
    'unixepoch',
  ],
  ...['julianday', 'nonsense', '', '+', '1', '+99999999999 days'],
];
/** A time with all that is done to it. */
export const CHANGED_TWICE: readonly (readonly unknown[])[] = [
  ['2024-01-31', '+1 month', 'start of month'],
  ['2024-05-31', '+1 month', '+1 month'],
  ['9999-12-31', '+1 day', '-1 day'],
  ['2460344.25', '+1 month'],
  ['04:05', '+1 day'],
  [1700000000, 'unixepoch', '+1 month'],
  [1700000000.75, 'unixepoch'],
  ['1700000000', '+1 day', 'unixepoch'],
  ...[1700000000, -1, 2460344.25, 5373484.5].map((number) => [number, 'auto']),
  ...[1e12, 253402300799.9996, 253402300800, -210866760000, -210866760001, -0.4996].map((number) => [
    number,
    'unixepoch',
  ]),
  ['2460344.25', 'julianday'],
  ['99999999', 'julianday'],
  ['2024-01-31', 'auto', '+1 day'],
  ['2024-01-31', '+1 day', 'auto'],
  ['2024-01-31', null],
];
