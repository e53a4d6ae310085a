// What a statement of POST /query means on PostgreSQL beside what it means on SQLite: what differs, and much that does not.

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AskedGateway, openAsked, SIGNAL_COLUMNS, storeFive } from '../query/asking.ts';
import { CHANGED_TWICE, CHANGES, MOMENTS, SAME_ANSWERS, SAME_FAULTS, TOKENS } from '../query/expressions.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { queryOnPostgres } from '../support/query-on-postgres.ts';
import { eventually, expectRefusal } from '../webhook/answers.ts';

const GUIDE = readFileSync(new URL('../../docs/guides/query.md', import.meta.url), 'utf8');

let server: PostgresServer;
let gateway: AskedGateway;
let sqlite: AskedGateway;
beforeAll(async () => {
  server = await startPostgres();
  gateway = await queryOnPostgres(() => server).open();
  sqlite = await openAsked();
  for (const each of [gateway, sqlite]) await storeFive(each);
});

describe('what is different on PostgreSQL', () => {
  const answer = async (query: string, ...params: unknown[]): Promise<unknown[]> => {
    const { status, body } = await gateway.ask(query, ...params);
    return status === 200 ? [status, ...body.results.map((row: object) => Object.values(row))] : [status, body.error];
  };

  it.each([
    ['SELECT 1 FROM trade_signals WHERE symbol = 5', [], /types that do not fit each other: text = bigint; CAST one/],
    ['SELECT 1 FROM trade_signals WHERE timestamp > ?', ['5'], /types that do not fit each other: bigint > text/],
    ['SELECT coalesce(symbol, 1) FROM trade_signals', [], /COALESCE types text and bigint cannot be matched/],
    ['SELECT symbol, max(timestamp) FROM trade_signals', [], /symbol must appear in the GROUP BY clause/],
    ['SELECT 9223372036854775807 + 1', [], /bigint out of range/],
    ['SELECT json_extract(?, ?)', ['no JSON', '$'], /invalid input syntax for type json/],
    ['SELECT json_extract(?, ?)', ['{a:1}', '$.a'], /invalid input syntax for type json/],
    ['SELECT ? % 2', ['5'], /types that do not fit: remainder\(text, bigint\)/],
  ])('the types of values are kept apart: %s', async (query, params, words) => {
    const [status, error] = await answer(query, ...params);
    expect([status, error]).toEqual([400, expect.stringMatching(words)]);
  });

  it.each([
    ['1e308 * 10'],
    ['1e-300 * 1e-300'],
    ['exp(1000)'],
    ['exp(-1000)'],
    ['power(10, 400)'],
    ['CAST(? AS REAL)', '1e400'],
  ])('a fraction that grows or shrinks past what there is, is a fault: %s', async (list, ...params) => {
    const [status, error] = await answer(`SELECT ${list}`, ...params);
    expect([status, error]).toEqual([400, expect.stringMatching(/out of range/)]);
  });

  it('a whole number beside a fraction is one', async () => {
    const query = 'SELECT iif(1, 1, 2.5) / 2, coalesce(1, 2.5) / 2, 9007199254740993 = 9007199254740992.0';
    expect(await answer(query)).toEqual([200, [0.5, 0.5, 1]]);
    expect((await sqlite.ask(query)).body.results.map(Object.values)).toEqual([[0, 0, 0]]);
  });

  it.each([
    ['SELECT timediff(?, ?)', ['2024-01-02', '2024-01-01']],
    ['SELECT json(?)', ['{}']],
    ['SELECT datetime(?, ?)', ['now', 'localtime']],
    ['SELECT datetime(?, ?)', ['now', 'utc']],
    ['SELECT datetime(?, ?)', ['now', 'subsec']],
    ['SELECT datetime(?)', ['subsec']],
    ['SELECT date(?, ?)', ['2024-01-31', '+0001-01-01']],
    ['SELECT date(?, ?, ?)', ['2024-01-31', '+1 month', 'floor']],
    ['SELECT time(?)', ['24:00']],
    ['SELECT datetime(?, ?)', ['2024-01-31', '+24:00']],
    ['SELECT CAST(? AS NUMERIC)', ['12']],
    ['SELECT json_extract(?, ?, ?)', ['{}', '$.a', '$.b']],
    ['UPDATE OR IGNORE trade_signals SET symbol = ?', ['x']],
  ])('refused in words is %s', async (query, params) => {
    expect(await answer(query, ...params)).toEqual([403, expect.stringContaining('not on PostgreSQL')]);
  });

  it('what is taken out of JSON is text, and can be made a number', async () => {
    const query = 'SELECT json_extract(?, ?), CAST(? ->> ? AS INTEGER) + 1, json_extract(?, ?)';
    expect(await answer(query, '{"a":5}', '$.a', '{"a":5}', 'a', '{"a":true}', '$.a')).toEqual([200, ['5', 6, '1']]);
  });

  it('U+0000 in JSON is U+FFFD, and what only looks like it stays', async () => {
    const json = '{"a":"\\u0000\\u0000z\\\\u0000"}';
    expect(await answer('SELECT json_extract(?, ?)', json, '$.a')).toEqual([200, ['\ufffd\ufffdz\\u0000']]);
  });

  it('a number is not used again, and a key that stands twice in one REPLACE is a fault', async () => {
    const insert = `INSERT INTO trade_signals ${SIGNAL_COLUMNS} VALUES (?, 1, 1, 1, 1, 1)`;
    const { body: first } = await gateway.ask(insert, 'a');
    await gateway.ask('DELETE FROM trade_signals WHERE signal_id = ?', 'a');
    const { body: second } = await gateway.ask(insert, 'a');
    expect(second.lastRowId).toBeGreaterThan(first.lastRowId);
    await gateway.ask('DELETE FROM trade_signals WHERE signal_id = ?', 'a');
    const twice = `${insert.replace('INSERT', 'REPLACE')}, (?, 1, 1, 1, 1, 1)`;
    expect(await answer(twice, 'b', 'b')).toEqual([400, expect.stringContaining('a second time')]);
  });
});

describe('what is the same', () => {
  it('times are those of SQLite', async () => {
    const cases: [string, string[], unknown][] = [
      ['datetime(?, ?, ?)', ['2024-01-31 10:20:30', 'start of month', '+1 months'], '2024-02-01 00:00:00'],
      ['date(?, ?)', ['2024-02-03', 'weekday 0'], '2024-02-04'],
      ['datetime(?)', ['2024-02-03T04:05:06+02:00'], '2024-02-03 02:05:06'],
      ['datetime(?)', ['2460343.5'], '2024-02-03 00:00:00'],
      ['date(?)', ['nonsense'], null],
      [
        'strftime(?, ?)',
        ['%d/%m/%Y %H:%M:%f %j %w %s %%', '2024-02-03 04:05:06.789'],
        '03/02/2024 04:05:06.789 034 6 1706933106 %',
      ],
      ['strftime(?, ?)', ['%Q', '2024-02-03'], null],
    ];
    for (const [call, params, wanted] of cases) {
      for (const each of [gateway, sqlite])
        expect((await each.ask(`SELECT ${call} AS at`, ...params)).body.results).toEqual([{ at: wanted }]);
    }
  });

  it.each([
    ['substr(?, -3)', ['abcdef']],
    ['substr(?, 0, 2)', ['abcdef']],
    ['substr(?, 3, -2)', ['abcdef']],
    ['substr(?, 9, 2)', ['abcdef']],
    ['? LIKE ? ESCAPE ?', ['a%', 'A!%', '!']],
    ['? LIKE ?', ['a\\b', 'a\\_']],
    ['? GLOB ?', ['a.c', 'a.[a-c]']],
    ['? GLOB ?', ['abc', 'a[^b]c']],
    ['? GLOB ?', ['a*c', 'a[*]c']],
    ['? GLOB ?', ['A', 'a']],
    ['round(?, 1), round(?)', [2.25, 2.5]],
    ['CAST(? AS INTEGER), CAST(? AS REAL), CAST(? AS INTEGER)', ['-12.9x', ' 1e2 ', 7.9]],
    ['CAST(? AS TEXT), ? || ?', [1.0, 2, 0.5]],
    ['max(?, ?), min(?, ?), max(?, NULL)', [1, 2.5, 'b', 'a', 3]],
    ['1 / 0, 1 % 0, 5 / 2.0, 5 % 3, 1.5 = 1.5', []],
    ['json_array(1, ?, NULL, 1.5), json_object(?, ?)', ['a"', 'k', 'v']],
    ['json_type(?), json_type(?, ?), json_array_length(?)', ['[1]', '{"a":1.5}', '$.a', '{}']],
    ['NOT 5, NOT NULL, NOT ?, ? AND 1', ['0', 'x']],
    ['1 IS TRUE, 0 IS NOT TRUE, NULL IS NOT FALSE', []],
    ['trim(?, ?), unicode(?), hex(12), length(12.5)', ['xxaxx', 'x', '\u20ac']],
    ['log(2, 8), log(100), log2(8), mod(7.5, 2), sign(-2.5), round(pi(), 4)', []],
    ['iif(0, 1, 2), iif(0, 1), iif(0, 1, 1, 3, 4)', []],
    ['total(seq), sum(seq) / 2, count(*) FILTER (WHERE seq > 2), sum(seq > 2) FROM trade_signals', []],
    ['sum(seq) OVER (ORDER BY seq ROWS 1 PRECEDING) FROM trade_signals', []],
    ['percentile(seq, 25), percentile_cont(seq, 0.5), percentile_disc(seq, 0.4) FROM trade_signals', []],
    ['symbol AS s FROM trade_signals WHERE s = ? GROUP BY s HAVING count(*) > 1', ['BTCUSDT']],
    ['* FROM trade_signals NATURAL JOIN (SELECT symbol, max(seq) AS seq FROM trade_signals GROUP BY 1)', []],
    [
      'a.seq, symbol FROM trade_signals a JOIN (trade_signals b JOIN trade_signals c ON c.seq = b.seq) AS d USING (seq, symbol)',
      [],
    ],
    ...SAME_ANSWERS,
  ] as [string, unknown[]][])('is %s %j', async (list, params) => {
    const query = `SELECT ${list}`;
    const wanted = (await sqlite.ask(query, ...params)).body;
    expect(wanted.error).toBeUndefined();
    const sorted = (rows: object[]) => rows.map((row) => JSON.stringify(row)).sort();
    const given = (await gateway.ask(query, ...params)).body;
    expect(given.error).toBeUndefined();
    expect(sorted(given.results)).toEqual(sorted(wanted.results));
  });

  it.each(SAME_FAULTS)('is the fault of %s %j', async (list, params) => {
    for (const each of [gateway, sqlite]) expectRefusal(await each.ask(`SELECT ${list}`, ...params), 'INVALID_SQL');
  });

  type Call = readonly [function: string, ...args: readonly unknown[]];

  /** What each of them returns; many in one statement, which may have 64 values. */
  const valuesOf = async (each: AskedGateway, calls: readonly Call[]): Promise<unknown[]> => {
    const values: unknown[] = [];
    for (let first = 0; first < calls.length; first += 12) {
      const some = calls.slice(first, first + 12);
      const list = some.map(([name, ...args], index) => `${name}(${args.map(() => '?').join()}) AS c${index}`);
      const { body } = await each.ask(`SELECT ${list.join()}`, ...some.flatMap(([, ...args]) => args));
      expect(body.error).toBeUndefined();
      values.push(...Object.values(body.results[0]));
    }
    return values;
  };
  const expectSame = async (calls: readonly Call[]): Promise<void> => {
    const told = (values: readonly unknown[]) => values.map((value, index) => [...(calls[index] ?? []), value]);
    expect(told(await valuesOf(gateway, calls))).toEqual(told(await valuesOf(sqlite, calls)));
  };

  it.each(['date', 'time', 'datetime', 'julianday', 'unixepoch'])('is %s of all that may be a time', async (name) => {
    await expectSame(MOMENTS.map((moment) => [name, moment]));
  });

  it('is what strftime writes of them', async () => {
    await expectSame(MOMENTS.map((moment) => ['strftime', TOKENS, moment]));
  });

  it.each(['2024-01-31 10:20:30.5', '2024-02-29', '2024-03-31', '0001-01-01'])(
    'is %s changed in all ways',
    async (from) => {
      await expectSame(CHANGES.map((change) => ['strftime', '%F %f %J', from, change]));
    },
  );

  it('is what several changes make', async () => {
    await expectSame(CHANGED_TWICE.map((parts) => ['strftime', '%F %f %s', ...parts]));
  });
});

describe('every line to copy of the guide', () => {
  const bodies = Array.from(GUIDE.matchAll(/-d '(\{[^']*\})'/g), ([, body]) => body ?? '');
  it.each(bodies)('works on PostgreSQL too: %s', async (body) => {
    const sent = await gateway.request('POST', '/query', body);
    expect([sent.status, sent.body.error]).toEqual([200, undefined]);
  });
});

describe('a server that is away', () => {
  it('is told in words, and found again', async () => {
    await server.stop();
    const sent = await gateway.ask('SELECT 1');
    expectRefusal(sent, 'STORAGE_FAILED');
    expect(sent.body.error).toMatch(
      /^the query failed: PostgreSQL at \S+ cannot be reached \(ECONNREFUSED\); start it/,
    );
    expectRefusal(await gateway.ask('DELETE FROM trade_signals'), 'STORAGE_FAILED');
    await server.restart();
    await eventually(
      async () => (await gateway.ask('SELECT 1')).status,
      (status) => status === 200,
    );
  });
});
