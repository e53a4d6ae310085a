// Where the bars of a deployment come from: whose they are, that two sources run side by side, and who is not taken up on other bars.

import { afterEach, describe, expect, test } from 'vitest';
import { createLiveComparisons } from '../live-comparison/live-comparisons.ts';
import { BarSources } from './bar-sources.ts';
import type { Deployment, OpinionTarget, Target } from './deployment.ts';
import type { BarSource } from './ports.ts';
import { createHandMarket, type HandMarket } from './testing/hand-market.ts';
import { ANN, openTestSetup, type TestSetup, WANTED } from './testing/open-test-setup.ts';
import { ownBars } from './testing/ordering-strategy.ts';

const TRADE: Target = { type: 'trade', keyId: 'k', keyLabel: 'mine', exchange: 'binance' };
const AT_BYBIT: Target = { ...TRADE, exchange: 'bybit' };
const ON_PAPER: Target = { ...TRADE, exchange: 'mexc' };
const OPINION: OpinionTarget = {
  ...{ type: 'second-opinion', keyId: 'k', keyLabel: 'mine', lateAfterSeconds: 1, sendAfterSeconds: 1 },
  ...{ exchange: 'binance', quantityTolerancePercent: 1, priceTolerancePercent: 1, sendMissing: false },
};

const market = createHandMarket();
const own = new Map<string, BarSource | string>([
  ['binance', ownBars(market, 'binance')],
  ['bybit', ownBars(market, 'bybit testnet')],
  ['other', 'Other has no testnet.'],
]);
const sources = new BarSources({ market, origin: { marketData: 'simulated', own } });
const nameOf = (plan: Parameters<BarSources['of']>[0]): string => {
  const source = sources.of(plan);
  return typeof source === 'string' ? source : source.name;
};

test.each<[string, { symbol?: string; targets?: readonly Target[]; barsFrom?: string | null }, string | RegExp]>([
  ['of an exchange that is not on paper are its own', {}, 'binance'],
  ['of a testnet are its own', { targets: [AT_BYBIT] }, 'bybit testnet'],
  ['of an exchange on paper are those of MARKET_DATA', { targets: [ON_PAPER] }, 'simulated'],
  ['of a second target at an exchange that is not on paper count', { targets: [ON_PAPER, AT_BYBIT] }, 'bybit testnet'],
  [
    'of the exchange in the symbol',
    { symbol: 'BINANCE:BTCUSDT.P', targets: [{ ...TRADE, exchange: undefined }] },
    'binance',
  ],
  [
    'where no exchange is named are those of MARKET_DATA',
    { targets: [{ ...TRADE, exchange: undefined }] },
    'simulated',
  ],
  ['of a chat are those of MARKET_DATA', { symbol: 'BINANCE:BTCUSDT', targets: [{ type: 'telegram' }] }, 'simulated'],
  ['of a second opinion are those of the exchange that its alerts trade at', { targets: [OPINION] }, 'binance'],
  [
    'of two such exchanges there are none',
    { targets: [TRADE, AT_BYBIT] },
    /it trades at binance and at bybit.*once for each/,
  ],
  ['that cannot be had are told', { targets: [{ ...TRADE, exchange: 'other' }] }, /Other has no testnet\.$/],
  ['that it had before stay', { barsFrom: 'binance' }, 'binance'],
  ['that were others before are refused', { barsFrom: 'bybit' }, /on the bars of bybit.*Deploy it again/],
  ['that were MARKET_DATA before that was kept are refused', { barsFrom: null }, /on simulated bars/],
  ['on paper follow MARKET_DATA', { targets: [ON_PAPER], barsFrom: 'bybit' }, 'simulated'],
])('bars %s', (_, { symbol = 'BTCUSDT', targets = [TRADE], ...before }, expected) => {
  if (typeof expected === 'string') expect(nameOf({ symbol, targets, ...before })).toBe(expected);
  else expect(nameOf({ symbol, targets, ...before })).toMatch(expected);
});

describe('deployments', () => {
  let setup: TestSetup;
  let ofBinance: HandMarket;
  let real: Map<string, BarSource | string>;
  let raised: string[];
  const PRICE = { open: 7, high: 7, low: 7, close: 7, volume: 1 };
  const open = (isReal: boolean): void => {
    ofBinance = createHandMarket(1500, { barAt: (time) => ({ time, ...PRICE }) });
    real = new Map(isReal ? [['binance', ownBars(ofBinance, 'binance')]] : []);
    raised = [];
    setup = openTestSetup(1500, {
      origin: { marketData: 'simulated', own: real },
      alarms: { raise: (_, text) => void raised.push(text), over: () => {} },
    });
  };
  afterEach(() => setup.close());
  const read = async (id: string) => {
    const found = await setup.deployments.read(ANN, id);
    return found.kind === 'found' ? found.deployment : undefined;
  };
  const closesSeen = (): Set<number> => new Set(setup.runner.requests.map(({ bars }) => bars.close.at(-1) as number));

  test('of two sources run side by side, each on its own bars from its trial on, and so after a restart', async () => {
    open(true);
    const atBinance = await setup.deploy({ targets: [TRADE], mode: 'trade' });
    expect(closesSeen()).toEqual(new Set([7]));
    const paper = await setup.deploy({ targets: [ON_PAPER], mode: 'trade' });
    expect([atBinance.barsFrom, paper.barsFrom]).toEqual(['binance', 'simulated']);
    for (const life of [1, 2]) {
      setup.runner.requests.length = 0;
      ofBinance.closeBar(false);
      await setup.closeBar();
      expect(await read(paper.id)).toMatchObject({ runs: life });
      expect(closesSeen()).not.toContain(7);
      expect(await read(atBinance.id)).toMatchObject({ runs: life - 1 });
      ofBinance.tell(ofBinance.formingMs - ofBinance.timeframeMs);
      await setup.clock.advance(1000);
      expect(await read(atBinance.id)).toMatchObject({ runs: life, barsFrom: 'binance' });
      expect(closesSeen()).toContain(7);
      if (life === 1) await setup.crash();
    }
  });

  test('whose bars cannot be read wait for them, and run nothing on others', async () => {
    open(true);
    const { id } = await setup.deploy({ targets: [TRADE], mode: 'trade' });
    ofBinance.fault = new Error('away');
    setup.die();
    ofBinance.forgetFollowers();
    await setup.rise();
    await setup.closeBar();
    expect(await read(id)).toMatchObject({ state: 'running', runs: 0, lastError: null });
    const refused = await setup.deployments.create(ANN, { ...WANTED, targets: [TRADE] });
    expect(refused).toMatchObject({ kind: 'unavailable', reason: expect.stringContaining('away') });
    ofBinance.fault = undefined;
    ofBinance.closeBar();
    await setup.clock.advance(1000);
    expect(await read(id)).toMatchObject({ runs: 1 });
  });

  test('are neither made nor resumed while there are no bars of their venue', async () => {
    open(false);
    const { id } = await setup.deploy({ targets: [TRADE], mode: 'trade' });
    await setup.deployments.pause(ANN, id);
    real.set('binance', 'Binance has no testnet.');
    const reason = 'It has no bars of its own venue: Binance has no testnet.';
    const outcome = await setup.deployments.create(ANN, { ...WANTED, targets: [TRADE], mode: 'trade' });
    expect(outcome).toEqual({ kind: 'foreign-bars', reason });
    expect(await setup.deployments.resume(ANN, id)).toEqual({ kind: 'foreign-bars', reason });
    real.clear();
    expect(await setup.deployments.resume(ANN, id)).toMatchObject({ kind: 'found', deployment: { state: 'running' } });
  });

  test('are paused at the start that has made their account real, with the reason and an alarm, and run no bar', async () => {
    open(false);
    const { id, name } = await setup.deploy({ targets: [TRADE], mode: 'trade' });
    const { id: other } = await setup.deploy({ targets: [ON_PAPER], mode: 'trade' });
    real.set('binance', ownBars(ofBinance, 'binance'));
    await setup.crash();
    await setup.closeBar();
    const reason = expect.stringMatching(/deployed on simulated bars, and binance is not on paper.*Deploy it again/);
    expect(await read(id)).toMatchObject({ state: 'paused', lastError: reason, runs: 0, barsFrom: 'simulated' });
    expect(await setup.logs(id)).toContainEqual(expect.stringContaining('Paused. It has no bars of its own venue'));
    expect(raised).toEqual([expect.stringContaining(`The deployment "${name}" is paused. It has no bars`)]);
    expect(await setup.deployments.resume(ANN, id)).toMatchObject({ kind: 'foreign-bars' });
    expect(await read(other)).toMatchObject({ state: 'running', runs: 1 });
  });

  test('are compared with the backtest over the bars they ran on, and not over others', async () => {
    open(true);
    const made = await setup.deploy({ targets: [TRADE], mode: 'trade' });
    ofBinance.closeBar(false);
    const { market: simulated } = setup;
    const ran = { ...made, scriptType: 'strategy', lastBarTimeMs: made.lastBarTimeMs + simulated.timeframeMs } as const;
    const compare = (deployment: Deployment) => {
      const closes = new Set<number>();
      const comparisons = createLiveComparisons({
        ...{ market: simulated, origin: { marketData: 'simulated', own: real }, timeoutMs: 1000 },
        store: { ...setup.store, current: async () => ({ deployment, source: '', libraries: [] }) },
        infoOf: (ticker) => ({ ticker }),
        runner: {
          async runFor(_, { bars }) {
            for (const close of bars.close) closes.add(close);
            return { kind: 'busy', reason: 'it is only looked at what it would run on' };
          },
        },
      });
      return comparisons.compare(deployment.id).then((outcome) => ({ outcome, closes }));
    };
    const atBinance = await compare(ran);
    expect([atBinance.outcome.kind, atBinance.closes]).toEqual(['run-failed', new Set([7])]);
    const { outcome, closes } = await compare({ ...ran, barsFrom: 'simulated' });
    expect(outcome).toMatchObject({
      kind: 'unavailable',
      reason: expect.stringContaining('deployed on simulated bars'),
    });
    expect(closes).toEqual(new Set());
  });

  test('on paper go on when MARKET_DATA has changed, and say so', async () => {
    open(false);
    const { id } = await setup.deploy({ targets: [ON_PAPER], mode: 'trade' });
    await setup.store.setBarsFrom(id, 'bybit');
    await setup.crash();
    await setup.closeBar();
    expect(await read(id)).toMatchObject({ state: 'running', runs: 1, barsFrom: 'simulated' });
  });
});
