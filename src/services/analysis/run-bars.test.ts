// Bars by the name of a market, for several callers at once: each has his share of the loading, and no caller has it all.

import { expect, test } from 'vitest';
import { modelBars } from '../../../tests/support/bars-app.ts';
import { MODEL_MARKET } from '../../market-data/testing/model-feed.ts';
import { GOOD, openAnalysis } from './testing/analysis-app.ts';

const settle = () => new Promise((resolve) => setTimeout(resolve, 20));
const bearer = (apiKey: string) => ({ headers: { authorization: `Bearer ${apiKey}` } });

/** Whatever is loaded for a market whose name begins with SLOW waits until the test lets it go on. */
function open() {
  const { bars } = modelBars();
  const loading: string[] = [];
  const held: (() => void)[] = [];
  const load = async (symbol: string) => {
    loading.push(symbol);
    if (symbol.startsWith('SLOW')) await new Promise<void>((resolve) => held.push(resolve));
    return [{ time: 0, open: 1, high: 1, low: 1, close: 1, volume: 1 }];
  };
  const marketBars = { source: bars.source, isComputed: false, newest: load, newestKept: load };
  const space = { axes: [{ title: 'n', values: [1] }], fixed: {} };
  const script = { space: () => ({ kind: 'space', space, scriptType: 'strategy', scriptName: 'S' }) as const };
  const backtests = async () => ({ kind: 'canceled', reason: 'x' }) as const;
  const app = openAnalysis(script, { marketBars, backtests: { threads: 1, backtests, space: () => Promise.reject() } });
  const bySymbol = (symbol: string) => ({ script: GOOD, symbol, timeframe: '1m', bars: 1 });
  const finish = async (): Promise<void> => {
    for (let one = held.shift(); one !== undefined; one = held.shift()) {
      one();
      await settle();
    }
  };
  return {
    ...{ app, loading, held, finish },
    run: (peer: string, symbol = 'SLOWUSDT') => app.post('/run', bySymbol(symbol), { peer }),
    search: (key: string, symbol = 'SLOWUSDT') =>
      app.post('/optimize', { ...bySymbol(symbol), vary: { n: [1] } }, bearer(key)),
  };
}

test('one key loads one after the other, in searches too, and another key need not wait', async () => {
  const { app, loading, finish, search } = open();
  const [one, other] = [(await app.keys.mint('pro')).apiKey, (await app.keys.mint('pro')).apiKey];
  const sent = Array.from({ length: 8 }, () => search(one));
  await settle();
  expect(loading).toEqual(['SLOWUSDT']);
  expect((await search(other, MODEL_MARKET)).status).toBe(202);
  const refused = await search(one);
  expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([429, 'BUSY', '1']);
  expect(refused.body.message).toBe('too many requests of yours wait for bars of a market; try again in a moment');
  await finish();
  for (const { status } of await Promise.all(sent)) expect(status).toBe(202);
});

test('so does one address, and so do two at once; a third waits for one of them', async () => {
  const { loading, held, finish, run } = open();
  const first = [run('192.0.2.1', 'SLOW1USDT'), run('192.0.2.1', 'SLOW1USDT'), run('192.0.2.2', 'SLOW2USDT')];
  await settle();
  expect(loading).toEqual(['SLOW1USDT', 'SLOW2USDT']);
  const third = run('192.0.2.3', MODEL_MARKET);
  await settle();
  expect(loading).toHaveLength(2);
  held.pop()?.();
  expect((await third).status).toBe(200);
  await finish();
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200, 200]);
});
