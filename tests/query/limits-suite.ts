// The limits of POST /query: time, rows, bytes, memory, and the line before it.

import { beforeAll, describe, expect, it } from 'vitest';
import type { GatewayOptions } from '../support/gateway.ts';
import { timed } from '../support/lived-time.ts';
import { expectRefusal } from '../webhook/answers.ts';
import { type AskedGateway, type QueryEngineOfTests, SIGNAL_COLUMNS, storeFive } from './asking.ts';

/** Five rows each: more than anybody can count. */
export const ENDLESS = `SELECT count(*) FROM ${Array.from('abcdefghijklmnop', (name) => `trade_signals ${name}`).join()}`;
const ENDLESS_WRITE = `UPDATE trade_signals SET symbol = (${ENDLESS})`;

/** With five signals. */
export async function openedWith(engine: QueryEngineOfTests, limits: GatewayOptions = {}): Promise<AskedGateway> {
  const gateway = await engine.open(limits);
  await storeFive(gateway);
  return gateway;
}

export function describeLimits(engine: QueryEngineOfTests): void {
  describe(`the limits of POST /query on ${engine.name}`, () => {
    const opened = (limits?: GatewayOptions): Promise<AskedGateway> => openedWith(engine, limits);

    describe('time', () => {
      it('is five seconds for a query and one for a write, and the next statement is answered', async () => {
        const gateway = await opened();
        const { result: read, ...readTime } = await timed(() => gateway.ask(ENDLESS));
        expectRefusal(read, 'QUERY_TIMEOUT');
        expect(read.body.error).toContain('stopped after 5000 ms');
        expect(readTime.elapsedMs).toBeGreaterThan(4990);
        expect(readTime.livedMs).toBeLessThan(7000);

        await gateway.ask('SELECT 1');
        const { result: write, ...writeTime } = await timed(() => gateway.ask(ENDLESS_WRITE));
        expectRefusal(write, 'QUERY_TIMEOUT');
        expect(write.body.error).toContain('nothing was changed');
        expect(writeTime.elapsedMs).toBeGreaterThan(990);
        expect(writeTime.livedMs).toBeLessThan(3000);

        const { body } = await gateway.ask('SELECT DISTINCT symbol FROM trade_signals ORDER BY 1');
        expect(body.results).toEqual([{ symbol: 'BTCUSDT' }, { symbol: 'ETHUSDT' }, { symbol: 'SOLUSDT' }]);
        const later = await gateway.ask('DELETE FROM trade_signals WHERE seq = 1');
        expect(later.body.changes).toBe(1);
      });

      it('spent by a query does not keep a signal waiting', async () => {
        const gateway = await opened({ queryLimits: { readMs: 1500 } });
        await gateway.send();
        const slow = gateway.ask(ENDLESS);
        await new Promise((resolve) => setTimeout(resolve, 500));
        for (let number = 0; number < 10; number += 1) {
          const { result: sent, livedMs } = await timed(() => gateway.send());
          expect(sent.body.tradeResult.status).toBe('Filled');
          expect(livedMs).toBeLessThan(1000);
        }
        expectRefusal(await slow, 'QUERY_TIMEOUT');
      });

      it('spent by a write ends with its lock: signals go on, and none is lost', async () => {
        const gateway = await opened({ queryLimits: { writeMs: 300 } });
        const slow = gateway.ask(ENDLESS_WRITE);
        const sent = await Promise.all(Array.from({ length: 10 }, () => gateway.send()));
        expectRefusal(await slow, 'QUERY_TIMEOUT');
        expect(sent.map(({ body }) => body.tradeResult?.status ?? body.status)).not.toContain(undefined);
        for (const { body } of sent) await gateway.until(body.requestId, 'Filled');
        const { body } = await gateway.ask('SELECT count(*) AS n FROM trade_signals');
        expect(body.results).toEqual([{ n: 15 }]);
      });
    });

    describe('a write that was given up', () => {
      it('was never committed, and one that was answered always is', async () => {
        // PostgreSQL's as in the product: a shorter one leaves a busy machine no time for the connection that each write begins with.
        const gateway = await opened({ queryLimits: { writeMs: engine.name === 'SQLite' ? 20 : 1000 } });
        const given: number[] = [];
        // From far below the limit to far above it, and often near.
        for (const tables of [6, 7, 8, 8, 8, 8, 9, 9, 9, 10, 11, 12]) {
          const joined = Array.from({ length: tables }, (_, index) => `trade_signals t${index}`).join();
          const insert = `INSERT INTO trade_signals ${SIGNAL_COLUMNS} SELECT ?, 1, count(*), 1, 1, 1 FROM ${joined}`;
          const id = `try-${given.length}`;
          const { status } = await gateway.ask(insert, id);
          given.push(status);
          // On a busy machine the look itself may take too long: it is repeated, the write never is.
          const look = () => gateway.ask('SELECT count(*) AS n FROM trade_signals WHERE signal_id = ?', id);
          let seen = await look();
          for (let tries = 0; seen.status !== 200 && tries < 20; tries++) seen = await look();
          expect([status, seen.body.results]).toEqual([status, [{ n: status === 200 ? 1 : 0 }]]);
          await gateway.ask('DELETE FROM trade_signals WHERE signal_id = ?', id);
        }
        expect(given.at(-1)).toBe(408);
      });
    });

    describe('size', () => {
      let gateway: AskedGateway;
      beforeAll(async () => {
        // On a busy machine the time would be up before the size is reached.
        gateway = await opened({ queryLimits: { readMs: 30_000, writeMs: 30_000 } });
      });
      const CROSS =
        'trade_signals a, trade_signals b, trade_signals c, trade_signals d, trade_signals e, trade_signals f';
      const tooLarge = async (remedy: string, query: string, ...params: unknown[]): Promise<void> => {
        const sent = await gateway.ask(query, ...params);
        expectRefusal(sent, 'QUERY_TOO_LARGE');
        expect(sent.body.error).toContain(remedy);
      };

      it('is ten thousand rows', async () => {
        const sent = await gateway.ask(`SELECT a.seq FROM ${CROSS} LIMIT 10000`);
        expect(sent.body.results).toHaveLength(10_000);
        await tooLarge('add LIMIT', `SELECT a.seq FROM ${CROSS} LIMIT 10001`);
      });

      it('is sixteen mebibytes, whether of many rows or of few', async () => {
        const text = 'x'.repeat(500_000);
        const sent = await gateway.ask(`SELECT ? AS v FROM ${CROSS} LIMIT 33`, text);
        expect(sent.body.results).toHaveLength(33);
        expect(sent.body.results[32].v).toBe(text);
        await tooLarge('fewer columns', `SELECT ? AS v FROM ${CROSS} LIMIT 34`, text);
        await tooLarge('fewer columns', `SELECT ? AS v FROM ${CROSS} LIMIT 9000`, '\u0001'.repeat(1000));
        const grown = Array(20).fill('replace(?, ?, ?)').join();
        await tooLarge(
          'fewer columns',
          `SELECT ${grown}`,
          ...Array(20)
            .fill(['a'.repeat(1000), 'a', 'b'.repeat(900)])
            .flat(),
        );
      });

      it('counts bytes and not characters', async () => {
        await tooLarge('fewer columns', `SELECT ? AS v FROM ${CROSS} LIMIT 20`, '\u20ac'.repeat(300_000));
      });

      it('of one value is one mebibyte, however it is made', async () => {
        const [small, large] = ['a'.repeat(1000), 'b'.repeat(2000)];
        await tooLarge('a value grew past', 'SELECT replace(?, ?, ?)', small, 'a', large);
        await tooLarge('a value grew past', 'SELECT length(replace(?, ?, ?))', small, 'a', large);
        await tooLarge('a value grew past', `SELECT group_concat(?) FROM ${CROSS}`, large);
        await tooLarge('a value grew past', `SELECT json_group_array(?) FROM ${CROSS}`, large);
        const halves = [small, 'a', 'b'.repeat(600), small, 'a', 'c'.repeat(600)];
        await tooLarge('a value grew past', 'SELECT length(replace(?, ?, ?) || replace(?, ?, ?))', ...halves);
        await tooLarge('a value grew past', 'SELECT concat(replace(?, ?, ?), replace(?, ?, ?))', ...halves);
        await tooLarge('a value grew past', 'SELECT hex(?)', 'd'.repeat(600_000));
      });

      it('of the memory it needs is bounded too', async () => {
        const rows = `${CROSS}, trade_signals g, trade_signals h, trade_signals i`;
        await tooLarge(
          'memory',
          `SELECT DISTINCT a.seq || b.seq || c.seq || d.seq || e.seq || f.seq || g.seq || h.seq || ? FROM ${rows} ORDER BY 1`,
          'x'.repeat(4000),
        );
        expect((await gateway.ask('SELECT 1 AS one')).body.results).toEqual([{ one: 1 }]);
      });

      it('that RETURNING exceeds undoes the write', async () => {
        const before = await gateway.digest();
        const insert = `INSERT INTO trade_signals ${SIGNAL_COLUMNS} SELECT random(), 1, 1, 1, 1, 1 FROM ${CROSS} LIMIT 10001 RETURNING seq`;
        await tooLarge('add LIMIT', insert);
        expect(await gateway.digest()).toBe(before);
      });
    });

    describe('the line', () => {
      it('takes sixteen beside the one that runs, and answers them in order', async () => {
        // Long enough for the small statements behind it on a busy machine, and nobody leaves the line.
        const gateway = await opened({ queryLimits: { readMs: 4000, maxWaitMs: 120_000 } });
        const slow = gateway.ask(ENDLESS);
        const order: number[] = [];
        const waiting = Array.from({ length: 16 }, async (_, index) => {
          const sent = await gateway.ask('SELECT ? AS n', index);
          order.push(sent.body.results[0].n);
        });
        const refused = await gateway.ask('SELECT 1');
        expectRefusal(refused, 'QUERY_BUSY');
        expect(refused.headers.get('retry-after')).toBe('1');
        expectRefusal(await slow, 'QUERY_TIMEOUT');
        await Promise.all(waiting);
        expect(order).toEqual(Array.from({ length: 16 }, (_, index) => index));
      });

      it('is left by those who have waited too long', async () => {
        const gateway = await opened({ queryLimits: { readMs: 1500, maxWaitMs: 100 } });
        const slow = gateway.ask(ENDLESS);
        const { result: sent, livedMs } = await timed(() => gateway.ask('SELECT 1'));
        expectRefusal(sent, 'QUERY_BUSY');
        expect(livedMs).toBeLessThan(1400);
        expectRefusal(await slow, 'QUERY_TIMEOUT');
        expect((await gateway.ask('SELECT 1')).status).toBe(200);
      });
    });
  });
}
