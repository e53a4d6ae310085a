// The books of the paper venue when the answer to their commit is lost and PostgreSQL hangs: the order is looked for, and what
// the sender is told is so.

import { expect, test } from 'vitest';
import { openPostgresQueries } from '../../src/adapters/storage/postgres/query/open-queries.ts';
import { openTradingStorage } from '../../src/adapters/storage/postgres/trading.ts';
import type { PaperLedger } from '../../src/adapters/venues/paper/ledger.ts';
import type { GatewayOptions } from '../support/gateway.ts';
import { openPostgresProxy } from '../support/postgres-proxy.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { expectDuplicateOf, expectFilled, expectRefusal, freshGateway, KEY_1 } from '../webhook/answers.ts';

/** Longer than the outcome of a commit is looked for, so that nobody can tell it. */
const HANGS_MS = 11_000;

/** `carried out`: the server hangs right behind the commit. `answer lost`: it hangs when the commit comes. */
test.each(['carried out', 'answer lost'] as const)('fills once what its sender sends again (%s)', async (fate) => {
  const server = await startPostgres();
  const url = await server.newDatabase();
  const proxy = await openPostgresProxy(server.port);
  let isNext = false;
  const watched = (ledger: PaperLedger): PaperLedger => ({
    ...ledger,
    commit(entry) {
      if (isNext && entry.order !== undefined) {
        isNext = false;
        void proxy.atNextCommit(fate, () => {
          server.pause();
          setTimeout(() => server.resume(), HANGS_MS);
        });
      }
      return ledger.commit(entry);
    },
  });
  const trading: GatewayOptions['trading'] = async ({ nowMs, limits = {} }) => {
    const data = await openTradingStorage({ url: proxy.urlOf(url), nowMs, onDeath: () => {} });
    const queries = await openPostgresQueries({ url, limits });
    return { data: { ...data, paperLedger: watched(data.paperLedger), path: '' }, queries };
  };
  const gateway = await freshGateway({ controls: { queueMode: 'direct' }, trading });
  const quantities = async (table: string): Promise<unknown[]> =>
    (await server.query(`SELECT quantity FROM trading.${table}`, url)).map(({ quantity }) => quantity);

  expectFilled(await gateway.send({ quantity: 0.01 }));
  isNext = true;
  const unclear = await gateway.send({ quantity: 0.02, idempotencyKey: KEY_1 });
  const again = await gateway.send({ quantity: 0.02, idempotencyKey: KEY_1 });
  if (unclear.status === 200) {
    expectFilled(unclear);
    expectDuplicateOf(again, unclear);
  } else {
    // The server had held the transaction for too long when it went on: it was never carried out, and that is what is told.
    expect(fate).toBe('answer lost');
    expectRefusal(unclear, 'VENUE_UNREACHABLE', 'tradeResult', 'notificationResult');
    expectFilled(again);
  }
  expect(await quantities('positions')).toEqual(['0.03']);
  expect(await quantities('paper_positions')).toEqual(['0.03']);
});
