// Deployments that would trade real money on bars of somewhere else: not made, not resumed, not taken up.

import { afterEach, describe, expect, test } from 'vitest';
import type { DeploymentMode, OpinionTarget, Target } from './deployment.ts';
import { foreignBars } from './foreign-bars.ts';
import { ANN, openTestSetup, type TestSetup, WANTED } from './testing/open-test-setup.ts';

const TRADE: Target = { type: 'trade', keyId: 'k', keyLabel: 'mine', exchange: 'binance' };
const OPINION: OpinionTarget = {
  ...{
    type: 'second-opinion',
    keyId: 'k',
    keyLabel: 'mine',
    lateAfterSeconds: 1,
    sendAfterSeconds: 1,
    exchange: 'binance',
  },
  ...{ quantityTolerancePercent: 1, priceTolerancePercent: 1, sendMissing: true },
};
const REASON =
  'Its bars are not those of the venue it trades at: binance is not on paper, and scripts run on simulated bars ' +
  '(MARKET_DATA=simulated); set MARKET_DATA=binance and restart, trade on an exchange that is on paper, or deploy it as a dry run.';

test.each<[string, { source?: string; symbol?: string; targets?: readonly Target[]; mode?: DeploymentMode }, boolean]>([
  ['bars that are made up', {}, true],
  ['bars of another venue', { source: 'bybit' }, true],
  ['bars of its own venue', { source: 'binance' }, false],
  ['a dry run', { mode: 'dry-run' }, false],
  ['an exchange on paper', { targets: [{ ...TRADE, exchange: 'mexc' }] }, false],
  ['a second target at an exchange that is not on paper', { targets: [{ ...TRADE, exchange: 'mexc' }, TRADE] }, true],
  ['the exchange in the symbol', { symbol: 'BINANCE:BTCUSDT.P', targets: [{ ...TRADE, exchange: undefined }] }, true],
  ['no exchange: its alerts tell one', { targets: [{ ...TRADE, exchange: undefined }] }, false],
  ['a chat', { symbol: 'BINANCE:BTCUSDT', targets: [{ type: 'telegram' }] }, false],
  ['a second opinion that sends', { targets: [OPINION] }, true],
  ['a second opinion that looks on', { targets: [{ ...OPINION, sendMissing: false }] }, false],
])('%s', (_, { source = 'simulated', symbol = 'BTCUSDT', targets = [TRADE], mode = 'trade' }, isForeign) => {
  const fault = foreignBars({ mode, symbol, targets }, { source, realExchanges: ['binance', 'bybit'] });
  expect(fault !== undefined).toBe(isForeign);
});

describe('a deployment that trades', () => {
  let setup: TestSetup;
  let realExchanges: string[];
  let raised: string[];
  const open = (real: string[]): void => {
    realExchanges = real;
    raised = [];
    setup = openTestSetup(1500, {
      origin: { source: 'simulated', realExchanges },
      alarms: { raise: (_, text) => void raised.push(text), over: () => {} },
    });
  };
  afterEach(() => setup.close());

  test('is not made while its bars are of elsewhere', async () => {
    open(['binance']);
    const outcome = await setup.deployments.create(ANN, { ...WANTED, targets: [TRADE], mode: 'trade' });
    expect(outcome).toEqual({ kind: 'foreign-bars', reason: REASON });
    expect(await setup.deployments.list(ANN)).toEqual([]);
    const dry = await setup.deployments.create(ANN, { ...WANTED, targets: [TRADE], mode: 'dry-run' });
    expect(dry).toMatchObject({ kind: 'found' });
  });

  test('is not resumed', async () => {
    open([]);
    const { id } = await setup.deploy({ targets: [TRADE], mode: 'trade' });
    await setup.deployments.pause(ANN, id);
    realExchanges.push('binance');
    expect(await setup.deployments.resume(ANN, id)).toEqual({ kind: 'foreign-bars', reason: REASON });
    realExchanges.pop();
    expect(await setup.deployments.resume(ANN, id)).toMatchObject({ kind: 'found', deployment: { state: 'running' } });
  });

  test('is paused at the start that has made its account real, with the reason and an alarm, and runs no bar', async () => {
    open([]);
    const { id, name } = await setup.deploy({ targets: [TRADE], mode: 'trade' });
    const { id: other } = await setup.deploy({ targets: [{ ...TRADE, exchange: 'mexc' }], mode: 'trade' });
    realExchanges.push('binance');
    await setup.crash();
    await setup.closeBar();
    expect(await setup.deployments.read(ANN, id)).toMatchObject({
      deployment: { state: 'paused', lastError: REASON, runs: 0 },
    });
    expect(await setup.logs(id)).toContainEqual(expect.stringContaining(`Paused. ${REASON}`));
    expect(raised).toEqual([`The deployment "${name}" is paused. ${REASON} Then resume it.`]);
    expect(await setup.deployments.read(ANN, other)).toMatchObject({ deployment: { state: 'running', runs: 1 } });
  });
});
