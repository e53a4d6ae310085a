// What POST /query is for: the statements an owner writes, each with its answer.

import { beforeAll, describe, expect, it } from 'vitest';
import { type AskedGateway, type QueryEngineOfTests, storeFive } from './asking.ts';

/** A query over the five signals, its values, and the rows as arrays. */
type Case = readonly [query: string, params: readonly unknown[], rows: readonly (readonly unknown[])[]];

const READS: readonly Case[] = [
  ['SELECT 1', [], [[1]]],
  ['select symbol from trade_signals where signal_id = ?', ['s2'], [['ETHUSDT']]],
  ['SELECT signal_id FROM trade_signals ORDER BY timestamp DESC', [], [['s5'], ['s4'], ['s3'], ['s2'], ['s1']]],
  ['SELECT signal_id FROM trade_signals ORDER BY symbol, seq DESC LIMIT ? OFFSET ?', [2, 1], [['s3'], ['s1']]],
  ['SELECT signal_id FROM trade_signals LIMIT ?, ?', [1, 1], [['s2']]],
  ['SELECT count(*) FROM trade_signals', [], [[5]]],
  [
    'SELECT count(*), count(DISTINCT symbol), min(timestamp), max(timestamp) FROM trade_signals',
    [],
    [[5, 3, 1000, 5000]],
  ],
  [
    'SELECT symbol, count(*) AS n FROM trade_signals GROUP BY symbol ORDER BY n DESC, symbol',
    [],
    [
      ['BTCUSDT', 3],
      ['ETHUSDT', 1],
      ['SOLUSDT', 1],
    ],
  ],
  ['SELECT symbol FROM trade_signals GROUP BY 1 HAVING count(*) > ?', [1], [['BTCUSDT']]],
  ['SELECT DISTINCT source FROM trade_signals ORDER BY 1', [], [['api'], ['email'], ['webhook']]],
  ['SELECT sum(timestamp), total(timestamp), avg(timestamp) FROM trade_signals', [], [[15_000, 15_000, 3000]]],
  ['SELECT group_concat(signal_id, ?) FROM trade_signals', ['+'], [['s1+s2+s3+s4+s5']]],
  ['SELECT group_concat(signal_id, ? ORDER BY seq DESC) FROM trade_signals', ['+'], [['s5+s4+s3+s2+s1']]],
  ['SELECT string_agg(symbol, ?) FROM trade_signals WHERE seq < 1', [','], [[null]]],
  ['SELECT count(*) FILTER (WHERE source = ?) FROM trade_signals', ['api'], [[2]]],
  ['SELECT median(timestamp) FROM trade_signals', [], [[3000]]],
  ['SELECT signal_id FROM trade_signals WHERE symbol LIKE ? AND seq > 1', ['btc%'], [['s3'], ['s5']]],
  [
    'SELECT signal_id FROM trade_signals WHERE symbol NOT LIKE ? ESCAPE ?',
    ['BTC!_%', '!'],
    [['s1'], ['s2'], ['s3'], ['s4'], ['s5']],
  ],
  ['SELECT signal_id FROM trade_signals WHERE symbol GLOB ?', ['E*'], [['s2']]],
  ['SELECT signal_id FROM trade_signals WHERE signal_id IN (?, ?, ?)', ['s1', 's5', 'x'], [['s1'], ['s5']]],
  ['SELECT signal_id FROM trade_signals WHERE timestamp BETWEEN ? AND ?', [2000, 3000], [['s2'], ['s3']]],
  [
    'SELECT signal_id FROM trade_signals WHERE timestamp >= ? AND NOT (source = ? OR source = ?)',
    [0, 'api', 'email'],
    [['s1'], ['s2']],
  ],
  ['SELECT signal_id FROM trade_signals WHERE (symbol, source) = (?, ?)', ['BTCUSDT', 'email'], [['s5']]],
  ['SELECT signal_id FROM trade_signals WHERE symbol = ? COLLATE NOCASE AND seq = 4', ['solusdt'], [['s4']]],
  ['SELECT signal_id FROM trade_signals WHERE timestamp = (SELECT max(timestamp) FROM trade_signals)', [], [['s5']]],
  [
    'SELECT signal_id FROM trade_signals a WHERE EXISTS (SELECT 1 FROM trade_signals b WHERE b.symbol = a.symbol AND b.seq > a.seq)',
    [],
    [['s1'], ['s3']],
  ],
  [
    'SELECT signal_id FROM trade_signals WHERE symbol IN (SELECT symbol FROM trade_signals WHERE source = ?)',
    ['email'],
    [['s1'], ['s3'], ['s5']],
  ],
  [
    'SELECT s.signal_id, n FROM (SELECT symbol, count(*) AS n FROM trade_signals GROUP BY symbol) AS t JOIN trade_signals AS s USING (symbol) WHERE n = ? ORDER BY 1',
    [1],
    [
      ['s2', 1],
      ['s4', 1],
    ],
  ],
  [
    'SELECT a.signal_id, b.signal_id FROM trade_signals a JOIN trade_signals b ON b.seq = a.seq + 1 WHERE a.seq = 1',
    [],
    [['s1', 's2']],
  ],
  [
    'SELECT a.signal_id, b.signal_id FROM trade_signals a LEFT JOIN trade_signals b ON b.seq = a.seq + 1 WHERE a.seq > 3',
    [],
    [
      ['s4', 's5'],
      ['s5', null],
    ],
  ],
  ['SELECT count(*) FROM trade_signals a CROSS JOIN trade_signals b', [], [[25]]],
  ['SELECT count(*) FROM trade_signals a, trade_signals b WHERE a.seq < b.seq', [], [[10]]],
  ['SELECT count(*) FROM trade_signals NATURAL JOIN trade_signals AS b', [], [[5]]],
  ['SELECT count(*) FROM trade_signals a FULL OUTER JOIN trade_signals b ON a.seq = b.seq + 2', [], [[7]]],
  [
    'SELECT CASE symbol WHEN ? THEN ? ELSE ? END FROM trade_signals WHERE seq < 3',
    ['BTCUSDT', 'coin', 'other'],
    [['coin'], ['other']],
  ],
  [
    'SELECT CASE WHEN timestamp > ? THEN 1 WHEN timestamp > ? THEN 2 END FROM trade_signals',
    [4000, 2000],
    [[null], [null], [2], [2], [1]],
  ],
  ['SELECT iif(seq > ?, ?, ?) FROM trade_signals WHERE seq IN (1, 5)', [3, 'late', 'early'], [['early'], ['late']]],
  [
    'SELECT coalesce(nullif(symbol, ?), ?), ifnull(NULL, ?) FROM trade_signals WHERE seq = 1',
    ['BTCUSDT', 'none', 7],
    [['none', 7]],
  ],
  ['SELECT ? IS NULL, ? IS NOT NULL, ? ISNULL, NULL = NULL', [null, 1, null], [[1, 1, 1, null]]],
  ['SELECT 7 / 2, 7 % 2, 7.0 / 2, -3, +3, ~0, 1 << 4, 6 & 3, 6 | 3', [], [[3, 1, 3.5, -3, 3, -1, 16, 2, 7]]],
  ['SELECT ? / 2, ? / 2, ? + 1, ? || ?', [7, 7.5, 2, 'a', 'b'], [[3, 3.75, 3, 'ab']]],
  [
    'SELECT abs(-5), round(2.567, 2), floor(2.9), ceil(2.1), sqrt(16), pow(2, 10), mod(7, 3), sign(-2)',
    [],
    [[5, 2.57, 2, 3, 4, 1024, 1, -1]],
  ],
  ['SELECT round(ln(exp(1)), 6), log10(1000), trunc(2.9), max(1, 2), min(1, 2)', [], [[1, 3, 2, 2, 1]]],
  [
    'SELECT lower(symbol), upper(source), length(symbol), substr(symbol, 1, 3), instr(symbol, ?) FROM trade_signals WHERE seq = 1',
    ['USDT'],
    [['btcusdt', 'WEBHOOK', 7, 'BTC', 4]],
  ],
  [
    'SELECT replace(symbol, ?, ?), trim(?), ltrim(?), rtrim(?) FROM trade_signals WHERE seq = 1',
    ['USDT', '', ' a ', ' b', 'c '],
    [['BTC', 'a', 'b', 'c']],
  ],
  [
    'SELECT concat(symbol, ?, seq), hex(?), unicode(?), typeof(seq), octet_length(?) FROM trade_signals WHERE seq = 1',
    ['-', 'A', 'A', '\u00e9'],
    [['BTCUSDT-1', '41', 65, 'integer', 2]],
  ],
  [
    'SELECT date(timestamp / 1000, ?), datetime(?, ?) FROM trade_signals WHERE seq = 1',
    ['unixepoch', 0, 'unixepoch'],
    [['1970-01-01', '1970-01-01 00:00:00']],
  ],
  [
    'SELECT strftime(?, ?), unixepoch(?), julianday(?), time(?)',
    ['%Y-%m', '2024-02-03', '2024-02-03', '2024-02-03', '12:30:00'],
    [['2024-02', 1_706_918_400, 2_460_343.5, '12:30:00']],
  ],
  ['SELECT length(CURRENT_TIMESTAMP), length(CURRENT_DATE), length(CURRENT_TIME)', [], [[19, 10, 8]]],
  [
    'SELECT json_extract(?, ?), ? ->> ?, ? -> 1, json_array_length(?), json_valid(?)',
    ['{"a":"5"}', '$.a', '{"b":"x"}', 'b', '[1,[2]]', '[1,2,3]', '{'],
    [['5', 'x', '[2]', 3, 0]],
  ],
  [
    'SELECT json_group_array(signal_id), json_object(?, count(*)) FROM trade_signals WHERE seq < 3',
    ['n'],
    [['["s1","s2"]', '{"n":2}']],
  ],
  [
    'SELECT CAST(? AS INTEGER), CAST(? AS TEXT), CAST(? AS REAL), CAST(1.9 AS DECIMAL(10, 2))',
    ['12abc', 5, '2.5'],
    [[12, '5', 2.5, 1.9]],
  ],
  [
    'SELECT signal_id, row_number() OVER (ORDER BY timestamp DESC) FROM trade_signals ORDER BY seq LIMIT 2',
    [],
    [
      ['s1', 5],
      ['s2', 4],
    ],
  ],
  [
    'SELECT seq, lag(seq) OVER w, lead(seq, 2, ?) OVER w FROM trade_signals WINDOW w AS (ORDER BY seq)',
    [0],
    [
      [1, null, 3],
      [2, 1, 4],
      [3, 2, 5],
      [4, 3, 0],
      [5, 4, 0],
    ],
  ],
  [
    'SELECT sum(timestamp) OVER (PARTITION BY symbol ORDER BY seq ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM trade_signals WHERE symbol = ?',
    ['BTCUSDT'],
    [[1000], [4000], [8000]],
  ],
  [
    'SELECT rank() OVER (ORDER BY symbol), dense_rank() OVER (ORDER BY symbol), ntile(2) OVER (ORDER BY seq) FROM trade_signals ORDER BY seq LIMIT 1',
    [],
    [[1, 1, 1]],
  ],
  [
    'SELECT "symbol", [source], `decision`, trade_signals."seq" FROM "trade_signals" WHERE "seq" = 1',
    [],
    [['BTCUSDT', 'webhook', 'accepted', 1]],
  ],
  ['SELECT SYMBOL FROM TRADE_SIGNALS WHERE Seq = 1', [], [['BTCUSDT']]],
  ['SELECT rowid, oid FROM trade_signals WHERE _rowid_ = 2', [], [[2, 2]]],
  [
    'SELECT -- the newest\n symbol /* of all */ FROM trade_signals /* ; DROP TABLE trades */ ORDER BY seq DESC LIMIT 1 ; -- done',
    [],
    [['BTCUSDT']],
  ],
  ['SELECT symbol\n\t  FROM trade_signals\r\n WHERE seq = 1 ;;', [], [['BTCUSDT']]],
  [
    'SELECT (SELECT count(*) FROM trade_signals b WHERE b.symbol = a.symbol) FROM trade_signals a WHERE seq = 1',
    [],
    [[3]],
  ],
  ['SELECT 5 IN (1, 5), 5 NOT IN (1, 5), 5 IN ()', [], [[1, 0, 0]]],
  ['SELECT true, false, 0x1F, 1e3, .5', [], [[1, 0, 31, 1000, 0.5]]],
  ['SELECT symbol IS DISTINCT FROM ? FROM trade_signals WHERE seq = 1', ['BTCUSDT'], [[0]]],
  ['SELECT seq FROM trade_signals ORDER BY source DESC NULLS LAST, 1 DESC LIMIT 1', [], [[2]]],
  [`SELECT ${Array.from({ length: 64 }, () => '?').join(' + ')}`, Array.from({ length: 64 }, () => 1), [[64]]],
  [`SELECT ${'1 + '.repeat(150)}1`, [], [[151]]],
];

export function describeStatements(engine: QueryEngineOfTests): void {
  describe(`what POST /query is for on ${engine.name}`, () => {
    describe('a query', () => {
      let gateway: AskedGateway;
      beforeAll(async () => {
        gateway = await engine.open();
        await storeFive(gateway);
      });

      it.each(READS)('%s is answered', async (query, params, rows) => {
        const sent = await gateway.ask(query, ...params);
        expect(sent.body).toMatchObject({ success: true, lastRowId: 0, changes: 0 });
        expect(sent.body.results.map((row: object) => Object.values(row))).toEqual(rows);
      });

      it('of the list stands beside at least sixty others', () => {
        expect(READS.length).toBeGreaterThanOrEqual(60);
      });
    });

    describe('the journal', () => {
      let gateway: AskedGateway;
      let requestId: string;
      beforeAll(async () => {
        gateway = await engine.open();
        requestId = (await gateway.send({ quantity: 0.02 })).body.requestId;
        await gateway.send({ action: 'CLOSE_LONG', quantity: 0.02 });
      });
      const first = async (query: string, ...params: unknown[]): Promise<unknown> =>
        (await gateway.ask(query, ...params)).body.results[0];

      it('shows a signal as soon as it is answered', async () => {
        for (let number = 1; number <= 5; number += 1) {
          const sent = await gateway.send({ symbol: 'ETHUSDT', quantity: 0.1 });
          const query =
            'SELECT count(*) AS n FROM trades t JOIN trade_signals s ON s.signal_id = t.request_id WHERE t.request_id = ?';
          expect(await first(query, sent.body.requestId)).toEqual({ n: 1 });
        }
      });

      it('tells the same as GET /trades does', async () => {
        const trade = await gateway.trade(requestId);
        const query =
          'SELECT symbol, quantity, state, order_id, executed_quantity, average_price FROM trades WHERE request_id = ?';
        expect(await first(query, requestId)).toEqual({
          symbol: 'BTCUSDT',
          quantity: '0.02',
          state: 'filled',
          order_id: trade.orderId,
          executed_quantity: '0.02',
          average_price: String(trade.averagePrice),
        });
      });

      it('joins trades, orders, fills and events', async () => {
        const query = `SELECT t.request_id, o.side, f.quantity, f.price, (SELECT count(*) FROM events e WHERE e.trade_seq = t.seq) AS n
      FROM trades t JOIN orders o ON o.trade_seq = t.seq JOIN fills f ON f.client_order_id = o.client_order_id
      WHERE t.request_id = ?`;
        const { averagePrice } = await gateway.trade(requestId);
        const n = expect.any(Number);
        expect(await first(query, requestId)).toEqual({
          request_id: requestId,
          side: 'BUY',
          quantity: '0.02',
          price: String(averagePrice),
          n,
        });
      });

      it.each(['trades', 'current_trades', 'orders', 'fills', 'positions'])('lets %s be read whole', async (table) => {
        const { body } = await gateway.ask(`SELECT * FROM ${table}`);
        expect(body.results.length).toBeGreaterThan(0);
        expect(await first(`SELECT count(*) AS n FROM ${table}`)).toEqual({ n: body.results.length });
        expect(await first(`SELECT EXISTS (SELECT 1 FROM ${table}) AS yes`)).toEqual({ yes: 1 });
      });

      it('adds money up', async () => {
        const query =
          'SELECT count(*) AS n, sum(CAST(fee AS REAL)) > 0 AS paid, max(at) > ? AS late FROM fills WHERE trade_seq < 3';
        expect(await first(query, 1_600_000_000_000)).toEqual({ n: 2, paid: 1, late: 1 });
      });
    });
  });
}
