// POST /query under attack: every statement of the lists is refused, and not a row anywhere is read or changed by it.

import { beforeAll, describe, expect, it } from 'vitest';
import { expectRefusal } from '../webhook/answers.ts';
import { type AskedGateway, CANARY, type QueryEngineOfTests, storeFive, valuesFor } from './asking.ts';
import { type Attack, FAULTS, SYNTAX_ATTACKS } from './attacks.ts';
import { REACH_ATTACKS } from './reach-attacks.ts';

export function describeAttacks(engine: QueryEngineOfTests): void {
  describe(`POST /query under attack on ${engine.name}`, () => {
    let gateway: AskedGateway;
    let untouched: string;
    beforeAll(async () => {
      gateway = await engine.open();
      await gateway.send();
      await storeFive(gateway);
      await engine.plantCanaries(gateway);
      untouched = await gateway.digest();
    });

    async function attempt({ query, expected }: Attack): Promise<void> {
      const sent = await gateway.ask(query, ...valuesFor(query));
      expect(`${sent.body.code}: ${query.slice(0, 200)}`).toBe(`${expected}: ${query.slice(0, 200)}`);
      expectRefusal(sent, expected);
      expect(JSON.stringify(sent.body)).not.toContain(CANARY);
    }

    describe('refused is', () => {
      const groups = Map.groupBy([...SYNTAX_ATTACKS, ...REACH_ATTACKS, ...FAULTS], ({ what }) => what);

      it.each([...groups])('%s, whichever way it is written', async (_, attacks) => {
        for (const attack of attacks) await attempt(attack);
        expect(await gateway.digest()).toBe(untouched);
      });

      it('more than there could be by accident', () => {
        expect(SYNTAX_ATTACKS.length + REACH_ATTACKS.length).toBeGreaterThan(300);
        expect(FAULTS.length).toBeGreaterThan(40);
        const queries = [...SYNTAX_ATTACKS, ...REACH_ATTACKS, ...FAULTS].map(({ query }) => query);
        expect(queries.length - new Set(queries).size).toBe(0);
      });
    });

    describe('the refusal of', () => {
      it.each([
        ['SELECT * FROM trades WHERE symbol = 5; DROP TABLE trades', 'send one at a time'],
        ["SELECT 'a'", 'pass the value in params'],
        ['SELECT "abc" FROM trades', '[abc]'],
        ['SELECT 1 UNION SELECT 2', 'send one query for each part'],
        ['WITH a AS (SELECT 1) SELECT * FROM a', 'WITH is not allowed; send one SELECT'],
        ['SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a)', 'as a subquery'],
        [
          'SELECT * FROM nowhere',
          'there are trade_signals, trades, current_trades, orders, fills, positions, strategy_books, events',
        ],
        ['DELETE FROM trades', 'only trade_signals can be written'],
        ['SELECT printf(1)', 'docs/guides/query.md lists those that are'],
        ['SELECT caf\u00e9 FROM trades', 'U+00E9'],
      ])('%s names the remedy', async (query, remedy) => {
        expect((await gateway.ask(query)).body.error).toContain(remedy);
      });

      it('a table that exists says nothing else than that of one that does not', async () => {
        const told = await Promise.all(
          ['outbox', 'nowhere'].map(async (table) => (await gateway.ask(`SELECT * FROM ${table}`)).body.error),
        );
        expect(told[0].replace('outbox', 'nowhere')).toBe(told[1]);
      });
    });
  });
}
