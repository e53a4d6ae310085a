// The door of POST /query: its body, its answer to the last digit, its gate, and what it writes to the log.

import { beforeAll, describe, expect, it } from 'vitest';
import { expectEnvelope, expectFaults, expectRefusal, freshGateway, UUID } from '../webhook/answers.ts';
import { type AskedGateway, type QueryEngineOfTests, storeFive } from './asking.ts';

export function describeAnswers(engine: QueryEngineOfTests): void {
  describe(`the door of POST /query on ${engine.name}`, () => {
    let gateway: AskedGateway;
    beforeAll(async () => {
      gateway = await engine.open();
      await storeFive(gateway);
    });

    const send = (body: unknown) => gateway.request('POST', '/query', body);
    const first = async (query: string, ...params: unknown[]): Promise<unknown> =>
      (await gateway.ask(query, ...params)).body.results[0];

    describe('the body', () => {
      it.each([
        ['nothing but the query', { query: 'SELECT 1' }],
        ['empty params', { query: 'SELECT 1', params: [] }],
        ['8192 characters', { query: `SELECT 1${' '.repeat(8192 - 8)}` }],
        ['64 params', { query: `SELECT ${Array(64).fill('?').join()}`, params: Array(64).fill(null) }],
      ])('may be %s', async (_, body) => {
        expect((await send(body)).status).toBe(200);
      });

      it.each([
        ['no query', {}, ['query']],
        ['an empty query', { query: '' }, ['query']],
        ['a query that is no text', { query: 5 }, ['query']],
        ['8193 characters', { query: `SELECT 1${' '.repeat(8192 - 7)}` }, ['query']],
        ['65 params', { query: 'SELECT 1', params: Array(65).fill(1) }, ['params']],
        ['params that are no list', { query: 'SELECT ?', params: { 1: 2 } }, ['params']],
        ['params of null', { query: 'SELECT 1', params: null }, ['params']],
        ['a list as a value', { query: 'SELECT ?', params: [[1]] }, ['params.0']],
        ['an object as a value', { query: 'SELECT ?, ?', params: [1, {}] }, ['params.1']],
        ['half a character', { query: 'SELECT ?', params: ['\ud800'] }, ['params.0']],
        ['a whole number that is not exact', { query: 'SELECT ?', params: [2 ** 53] }, ['params.0']],
        ['an unknown field', { query: 'SELECT 1', sql: 'SELECT 2' }, ['body']],
        ['several faults', { query: 1, params: [{}] }, ['query', 'params.0']],
        ['a list', [], ['body']],
      ])('may not be %s', async (_, body, fields) => {
        expectFaults(await send(body), ...fields);
      });

      it('must be JSON, of one mebibyte at most', async () => {
        expectRefusal(await send('SELECT 1'), 'INVALID_JSON');
        expectRefusal(await send('{"query":"SELECT 1","query":"SELECT 2"}'), 'INVALID_JSON');
        expectRefusal(
          await send(JSON.stringify({ query: 'SELECT ?', params: ['x'.repeat(1024 * 1024)] })),
          'PAYLOAD_TOO_LARGE',
        );
      });

      it('says how to send a number that is not exact', async () => {
        expect((await send({ query: 'SELECT ?', params: [-(2 ** 53)] })).body.error).toContain('CAST(? AS INTEGER)');
        expect(await first('SELECT CAST(? AS INTEGER) AS n', '9007199254740993')).toEqual({ n: '9007199254740993' });
      });
    });

    describe('params', () => {
      it.each([
        ['SELECT ?', 0],
        ['SELECT ?', 2],
        ['SELECT 1', 1],
        ['SELECT ?, ? FROM trades WHERE symbol LIKE ?', 2],
        ['SELECT [?] FROM trades', 1],
        ['SELECT 1 -- ?', 1],
        ['SELECT 1 /* ? */', 1],
      ])('of %s must be as many as its placeholders, not %d', async (query, count) => {
        const sent = await gateway.ask(query, ...Array(count).fill(1));
        expectRefusal(sent, 'INVALID_SQL');
        expect(sent.body.error).toMatch(/^the statement has \d placeholders? but params has \d values?$/);
      });

      it('keep their types', async () => {
        const query =
          'SELECT typeof(?) AS a, typeof(?) AS b, typeof(?) AS c, typeof(?) AS d, typeof(?) AS e, typeof(?) AS f';
        const types = { a: 'integer', b: 'real', c: 'text', d: 'null', e: 'integer', f: 'integer' };
        expect(await first(query, 1, 1.5, '1', null, true, -(2 ** 53 - 1))).toEqual(types);
      });

      it.each([
        [true, 1],
        [false, 0],
        [0, 0],
        [-0, 0],
        [1e300, 1e300],
        ['', ''],
        // PostgreSQL has no such character in a text; what stands for one that cannot be shown takes its place.
        ['\u0000a\u0000', engine.name === 'SQLite' ? '\u0000a\u0000' : '\ufffda\ufffd'],
        ['\u{1f4a3}é', '\u{1f4a3}é'],
      ])('come back as they are: %j as %j', async (given, back) => {
        if (given === 1e300) expectFaults(await send({ query: 'SELECT ?', params: [given] }), 'params.0');
        else expect(await first('SELECT ? AS v', given)).toEqual({ v: back });
      });

      it('are values and never SQL', async () => {
        const text = "x'); DELETE FROM trade_signals; --";
        expect(await first('SELECT ? AS v, count(*) AS n FROM trade_signals WHERE symbol = ?', text, text)).toEqual({
          v: text,
          n: 0,
        });
        expect(await first('SELECT count(*) AS n FROM trade_signals')).toEqual({ n: 5 });
      });
    });

    describe('the answer', () => {
      it('has exactly these fields in this order', async () => {
        const sent = await gateway.ask('SELECT seq, symbol FROM trade_signals WHERE seq < 3');
        expectEnvelope(sent);
        expect(Object.entries(sent.body)).toEqual([
          ['success', true],
          ['requestId', expect.stringMatching(UUID)],
          [
            'results',
            [
              { seq: 1, symbol: 'BTCUSDT' },
              { seq: 2, symbol: 'ETHUSDT' },
            ],
          ],
          ['lastRowId', 0],
          ['changes', 0],
        ]);
      });

      it.each([
        ['9007199254740991', 9007199254740991],
        ['9007199254740992', '9007199254740992'],
        ['-9007199254740991', -9007199254740991],
        ['-9007199254740992', '-9007199254740992'],
        ['9223372036854775807', '9223372036854775807'],
        ['-9223372036854775807 - 1', '-9223372036854775808'],
        ['9223372036854775808', 2 ** 63],
        ['0.1 + 0.2', 0.30000000000000004],
        ['-0.0', 0],
        ['5e-324', 5e-324],
        ['1e999', 'Infinity'],
        ['-1e999', '-Infinity'],
        ['1e999 - 1e999', null],
        ['NULL', null],
      ])('says %s as %j', async (sql, value) => {
        expect(await first(`SELECT ${sql} AS v`)).toEqual({ v: value });
      });

      it('gives blobs as hex', async () => {
        await gateway.send({ idempotencyKey: '123e4567-e89b-42d3-a456-426614174000' });
        const query = 'SELECT claim, hex(claim) AS same, CAST(? AS BLOB) AS b FROM trades WHERE claim IS NOT NULL';
        const row = (await first(query, '\u0001\u00ff')) as { claim: string; same: string; b: string };
        expect(row.claim).toMatch(/^[0-9a-f]{32}$/);
        expect([row.same.toLowerCase(), row.b]).toEqual([row.claim, '01c3bf']);
      });

      it('keeps every column, also when names clash', async () => {
        expect(await first('SELECT 1 AS a, 2 AS a, 3 AS a_2, 4 AS a')).toEqual({ a: 1, a_3: 2, a_2: 3, a_4: 4 });
        const joined = (await first(
          'SELECT * FROM trade_signals x JOIN trade_signals y ON y.seq = x.seq + 1',
        )) as object;
        expect(joined).toMatchObject({ seq: 1, seq_2: 2, symbol: 'BTCUSDT', symbol_2: 'ETHUSDT' });
        expect(Object.keys(joined)).toHaveLength(16);
      });

      it('takes any column name for a name', async () => {
        const sent = await gateway.ask('SELECT 1 AS [__proto__], 2 AS [a"b\\c], 3 AS [constructor], 4 + 0');
        expect(Object.entries(sent.body.results[0])).toEqual([
          ['__proto__', 1],
          ['a"b\\c', 2],
          ['constructor', 3],
          ['4 + 0', 4],
        ]);
      });
    });

    describe('the gate', () => {
      it('is shut to strangers, before anything is looked at', async () => {
        const from = { peer: '198.51.100.1' };
        expectRefusal(await gateway.request('POST', '/query', { query: 'SELECT 1' }, from), 'UNAUTHORIZED');
        expectRefusal(await gateway.request('POST', '/query', 'no JSON', from), 'UNAUTHORIZED');
        const guarded = await freshGateway({ internalToken: 'a-token-of-the-owner' });
        expectRefusal(await guarded.request('POST', '/query', { query: 'SELECT 1' }), 'UNAUTHORIZED');
        const headers = { authorization: 'Bearer a-token-of-the-owner' };
        const sent = await guarded.request('POST', '/query', { query: 'SELECT 1' }, { headers, ...from });
        expect(sent.body.results).toEqual([{ 1: 1 }]);
      });

      it('knows no other method', async () => {
        expectRefusal(await gateway.request('GET', '/query?query=SELECT+1'), 'METHOD_NOT_ALLOWED');
      });
    });

    describe('the log', () => {
      it('has one line for every query, with its kind, time and rows, and without its values', async () => {
        gateway.queryLog.length = 0;
        const { body } = await gateway.ask('SELECT * FROM trade_signals WHERE symbol = ?', 'SOLUSDT');
        await gateway.ask('UPDATE trade_signals SET source = ? WHERE seq < ?', 'secret', 4);
        await gateway.ask('DROP TABLE trades');
        await gateway.ask('SELECT nothing FROM trades WHERE symbol = ?', 'secret');
        const ms = expect.any(Number);
        const requestId = expect.stringMatching(UUID);
        expect(gateway.queryLog).toEqual([
          { query: 'SELECT', ms, rows: 1, changes: 0, requestId: body.requestId },
          { query: 'UPDATE', ms, rows: 0, changes: 3, requestId },
          { query: 'refused', ms, rows: 0, changes: 0, requestId },
          { query: 'invalid', ms, rows: 0, changes: 0, requestId },
        ]);
        expect(JSON.stringify(gateway.queryLog)).not.toMatch(/secret|SOL/);
      });
    });

    describe('GET /query/tables', () => {
      it('names what a statement may read, column by column, and the one table it may write', async () => {
        const { status, body } = await gateway.request('GET', '/query/tables');
        expect(status).toBe(200);
        const tables = body.result as { name: string; columns: string[]; isWritable: boolean }[];
        expect(tables.filter(({ isWritable }) => isWritable).map(({ name }) => name)).toEqual(['trade_signals']);
        for (const { name, columns } of tables)
          expect((await gateway.ask(`SELECT ${columns.join(', ')} FROM ${name} LIMIT 1`)).status).toBe(200);
      });

      it('takes no filters', async () => {
        expectRefusal(await gateway.request('GET', '/query/tables?name=trades'), 'INVALID_QUERY');
      });
    });
  });
}
