// GET /performance where one exchange is live and others are on paper: real money and play money are never one sum.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { LIVE_VENUES, type LiveGateway, MARKET, openLiveGateway } from '../support/live-gateway.ts';

interface Row {
  readonly mode: string;
  readonly group?: string | null;
  readonly trades: number;
  readonly fees: number;
}
interface Performance {
  readonly total: Row | null;
  readonly totals: readonly Row[];
  readonly groups: readonly Row[];
}

let gateway: LiveGateway;
beforeEach(async () => {
  gateway = await openLiveGateway(LIVE_VENUES[0]!);
  for (const exchange of ['binance', 'bybit'])
    for (const action of ['LONG', 'CLOSE_LONG'])
      expect(await gateway.outcome({ exchange, action, strategy: 'trend' })).toMatchObject({ status: 'Filled' });
  expect(await gateway.outcome({ exchange: 'bybit' })).toMatchObject({ status: 'Filled' });
});
afterEach(() => gateway.close());

const performanceOf = async (query = ''): Promise<Performance> =>
  (await gateway.ask<{ result: Performance }>(`/performance${query}`)).result;
/** Over the fills of the exchange, as they were told one by one. */
const feesAt = async (exchange: string): Promise<number | undefined> => {
  const { result } = await gateway.ask(`/account?exchange=${exchange}`);
  return result[0]?.feesTotal as number | undefined;
};

test.each([
  ['day', expect.any(String)],
  ['symbol', MARKET],
  ['strategy', 'trend'],
  ['key', expect.any(String)],
])('by %s each mode has a total and groups of its own, live first', async (by, group) => {
  const { total, totals, groups } = await performanceOf(`?by=${by}`);
  const [live, paper] = [await feesAt('binance'), await feesAt('bybit')];
  expect(total).toBeNull();
  expect(totals).toMatchObject([
    { mode: 'live', trades: 1, fees: live },
    { mode: 'paper', trades: 1, fees: paper },
  ]);
  expect(groups[0]).toMatchObject({ mode: 'live', group, fees: live });
  expect(groups.slice(1).map(({ mode }) => mode)).toEqual(Array(groups.length - 1).fill('paper'));
  expect(groups.at(-1)).toMatchObject({ group, trades: 1 });
});

test('with a mode, or an exchange of one mode, there is one total', async () => {
  const live = await performanceOf('?mode=live');
  expect(live.totals).toEqual([{ mode: 'live', ...live.total }]);
  expect(live.groups.map(({ mode }) => mode)).toEqual(['live']);
  expect((await performanceOf('?exchange=binance')).total).toEqual(live.total);
  expect((await performanceOf('?mode=paper')).total).toMatchObject({ trades: 1, fees: await feesAt('bybit') });
  expect(await gateway.ask('/performance?mode=testnet')).toMatchObject({ code: 'UNKNOWN_ACCOUNT' });
});
