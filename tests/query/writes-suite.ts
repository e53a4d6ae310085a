// Writes through POST /query: what they change, what they tell, and what they leave alone.

import { beforeAll, describe, expect, it } from 'vitest';
import { UUID } from '../webhook/answers.ts';
import { type AskedGateway, type QueryEngineOfTests, SIGNAL_COLUMNS, storeFive } from './asking.ts';

export function describeWrites(engine: QueryEngineOfTests): void {
  describe(`writes through POST /query on ${engine.name}`, () => {
    it('a record of the five fields that the specification names is whole', async () => {
      const gateway = await engine.open();
      const insert =
        'INSERT INTO trade_signals (signal_id, timestamp, symbol, signal_type, source) VALUES (?, ?, ?, ?, ?)';
      const { body } = await gateway.ask(`${insert} RETURNING decision`, 'mine', 1, 'BTCUSDT', 'LONG', 'notebook');
      expect(body).toMatchObject({ results: [{ decision: 'stored' }], changes: 1 });
    });

    describe('a write to trade_signals', () => {
      let gateway: AskedGateway;
      beforeAll(async () => {
        gateway = await engine.open();
        await storeFive(gateway);
      });
      const values = (id: string): unknown[] => [id, 6000, 'XRPUSDT', 'LONG', 'api', 'stored'];
      const insert = `INSERT INTO trade_signals ${SIGNAL_COLUMNS} VALUES (?, ?, ?, ?, ?, ?)`;
      const expectDone = async (done: object, query: string, ...params: unknown[]): Promise<void> => {
        const { body } = await gateway.ask(query, ...params);
        expect(body).toEqual({ success: true, requestId: expect.stringMatching(UUID), results: [], ...done });
      };

      it('INSERT tells the row number and the count', async () => {
        await expectDone({ lastRowId: 6, changes: 1 }, insert, ...values('s6'));
        await expectDone(
          { lastRowId: 8, changes: 2 },
          `${insert}, (?, ?, ?, ?, ?, ?)`,
          ...values('s7'),
          ...values('s8'),
        );
      });

      it('INSERT … SELECT copies', async () => {
        const copy = `INSERT INTO trade_signals ${SIGNAL_COLUMNS} SELECT signal_id || ?, timestamp, symbol, signal_type, source,
      decision FROM trade_signals WHERE seq <= ?`;
        await expectDone({ lastRowId: 11, changes: 3 }, copy, '-copy', 3);
        await expectDone({ lastRowId: 0, changes: 0 }, copy, '-copy', 0);
      });

      it('RETURNING gives the rows', async () => {
        const { body } = await gateway.ask(`${insert} RETURNING seq, upper(symbol) AS s`, ...values('s12'));
        expect(body).toMatchObject({ results: [{ seq: 12, s: 'XRPUSDT' }], lastRowId: 12, changes: 1 });
        const updated = await gateway.ask(
          'UPDATE trade_signals SET source = ? WHERE seq < 3 RETURNING signal_id',
          'bot',
        );
        expect(updated.body).toMatchObject({
          results: [{ signal_id: 's1' }, { signal_id: 's2' }],
          lastRowId: 0,
          changes: 2,
        });
        const deleted = await gateway.ask('DELETE FROM trade_signals WHERE seq = 12 RETURNING *');
        expect(deleted.body).toMatchObject({ results: [{ signal_id: 's12' }], lastRowId: 0, changes: 1 });
      });

      const numberOf = async (id: string): Promise<number> =>
        (await gateway.ask('SELECT seq FROM trade_signals WHERE signal_id = ?', id)).body.results[0]?.seq;
      const lastNumber = async (): Promise<number> =>
        (await gateway.ask('SELECT max(seq) AS seq FROM trade_signals')).body.results[0].seq;
      /** A new row has the largest number there is; on SQLite it is the next one, elsewhere some may be left out. */
      const expectInserted = async (id: string, query: string, ...params: unknown[]): Promise<void> => {
        const before = await lastNumber();
        const { body } = await gateway.ask(query, ...params);
        expect(body).toMatchObject({ results: [], lastRowId: await numberOf(id), changes: 1 });
        expect(body.lastRowId).toBeGreaterThan(before);
        if (engine.name === 'SQLite') expect(body.lastRowId).toBe(before + 1);
      };

      it('an upsert inserts or updates, and says which', async () => {
        const upsert = `${insert} ON CONFLICT (signal_id) DO UPDATE SET symbol = excluded.symbol WHERE seq > 0`;
        await expectInserted('s13', upsert, ...values('s13'));
        await expectDone({ lastRowId: 0, changes: 1 }, upsert, ...values('s1'));
        await expectDone({ lastRowId: 0, changes: 0 }, `${insert} ON CONFLICT DO NOTHING`, ...values('s1'));
        await expectDone({ lastRowId: 0, changes: 0 }, insert.replace('INSERT', 'INSERT OR IGNORE'), ...values('s1'));
      });

      it('REPLACE takes the place of a row', async () => {
        const count = async () => (await gateway.ask('SELECT count(*) AS n FROM trade_signals')).body.results;
        const before = await count();
        await expectInserted('s2', insert.replace('INSERT', 'REPLACE'), ...values('s2'));
        await expectInserted('s2', insert.replace('INSERT', 'INSERT OR REPLACE'), ...values('s2'));
        expect(await count()).toEqual(before);
        await expectInserted('fresh', insert.replace('INSERT', 'REPLACE'), ...values('fresh'));
        await expectDone({ lastRowId: 0, changes: 1 }, 'DELETE FROM trade_signals WHERE signal_id = ?', 'fresh');
      });

      it('REPLACE forgets what the new row does not say', async () => {
        const replace =
          'REPLACE INTO trade_signals (signal_id, timestamp, symbol, signal_type, source) VALUES (?, 7, ?, ?, ?)';
        const { body } = await gateway.ask(`${replace} RETURNING decision, alert_id`, 's13', 'A', 'LONG', 'api');
        expect(body).toMatchObject({ results: [{ decision: 'stored', alert_id: '' }], changes: 1 });
      });

      it('UPDATE counts its rows, with FROM and without', async () => {
        await expectDone({ lastRowId: 0, changes: 2 }, 'UPDATE trade_signals SET symbol = ? WHERE seq IN (3, 4)', 'A');
        const from = 'UPDATE trade_signals SET source = t.symbol FROM trades t WHERE t.request_id = signal_id';
        await expectDone({ lastRowId: 0, changes: 0 }, from);
        await expectDone(
          { lastRowId: 0, changes: 1 },
          'UPDATE trade_signals AS s SET (symbol, source) = (?, ?) WHERE s.seq = 3',
          'B',
          'C',
        );
      });

      it('a failed one changes nothing at all, however it wants conflicts resolved', async () => {
        const before = await gateway.digest();
        for (const how of ['ABORT', 'FAIL', 'ROLLBACK']) {
          const query = `${insert.replace('INSERT', `INSERT OR ${how}`)}, (?, ?, ?, ?, ?, ?)`;
          const sent = await gateway.ask(query, ...values('fresh'), ...values('s1'));
          expect([sent.status, sent.body.error]).toEqual([400, 'UNIQUE constraint failed: trade_signals.signal_id']);
          expect(await gateway.digest()).toBe(before);
        }
      });

      it('keeps the times within what can be listed', async () => {
        const before = await gateway.digest();
        const set = 'UPDATE trade_signals SET timestamp = CAST(? AS INTEGER) WHERE seq = 1';
        for (const timestamp of [
          '-1',
          '253402300800000',
          '9007199254740993',
          '9223372036854775807',
          '-9223372036854775808',
        ]) {
          const sent = await gateway.ask(set, timestamp);
          expect([sent.status, sent.body.error]).toEqual([
            400,
            'timestamp must be 0 to 253402300799999, in milliseconds',
          ]);
        }
        expect(await gateway.digest()).toBe(before);
        await expectDone({ lastRowId: 0, changes: 1 }, set, '253402300799999');
        await expectDone({ lastRowId: 0, changes: 1 }, set, '0');
        expect((await gateway.request('GET', '/signals')).status).toBe(200);
      });

      it('DELETE counts its rows, also when it takes them all', async () => {
        await expectDone({ lastRowId: 0, changes: 1 }, 'DELETE FROM trade_signals WHERE signal_id = ?', 's2');
        const { body } = await gateway.ask('SELECT count(*) AS n FROM trade_signals');
        await expectDone({ lastRowId: 0, changes: body.results[0].n }, 'DELETE FROM trade_signals');
        await expectDone({ lastRowId: 0, changes: 0 }, 'DELETE FROM trade_signals');
      });

      it('does not disturb the signals that come in', async () => {
        const sent = await gateway.send();
        await expectDone(
          { lastRowId: 0, changes: 1 },
          'DELETE FROM trade_signals WHERE signal_id = ?',
          sent.body.requestId,
        );
        await gateway.send();
        const { body } = await gateway.ask('SELECT count(*) AS n FROM trade_signals');
        expect(body.results).toEqual([{ n: 1 }]);
        expect((await gateway.trade(sent.body.requestId)).status).toBe('Filled');
      });
    });
  });
}
