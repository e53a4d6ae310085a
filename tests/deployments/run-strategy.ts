// A process in which a deployed strategy lives through simulated days, until it is done or killed; the next one goes on there.

import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { orderSignal } from '../../src/library/deployments/order-signal.ts';
import { createEngineRunner } from '../../src/library/deployments/testing/engine-runner.ts';
import { ANN, openTestSetup } from '../../src/library/deployments/testing/open-test-setup.ts';
import { createWalkingMarket } from '../../src/library/deployments/testing/walking-market.ts';

const STRATEGY = `//@version=6
strategy("Days", margin_long = 0, margin_short = 0)
fast = ta.ema(close, 3)
slow = ta.ema(close, 7)
if ta.crossover(fast, slow)
    strategy.entry("L", strategy.long, 1)
    strategy.exit("LX", "L", stop = close * 0.992, limit = close * 1.009)
if ta.crossunder(fast, slow)
    strategy.entry("S", strategy.short, 1)
`;
const TARGET = { type: 'trade', keyId: 'k', keyLabel: 'paper', exchange: 'binance' } as const;
const MOVES = 3;
const HISTORY_BARS = 1100;

/** What a bar goes through: its moves, and its close. */
export const STEPS_OF_A_BAR = MOVES + 2;

/** Every signal as a line of the file `signals`; a signal that was sent twice is there twice, under one id. */
export async function liveThrough(
  dataDir: string,
  bars: number,
  onMove: (bar: number, move: number) => void = () => {},
): Promise<void> {
  const progress = join(dataDir, 'progress');
  const [first = 0, firstMove = 0] = existsSync(progress) ? JSON.parse(readFileSync(progress, 'utf8')) : [];
  const market = createWalkingMarket(HISTORY_BARS + first);
  const setup = openTestSetup(0, {
    ...{ dataDir, market, content: STRATEGY, newRunner: createEngineRunner, isUnowned: true },
    sender: {
      async send(event, _, deployment) {
        const signal = event.order && orderSignal(event.order, TARGET, deployment);
        appendFileSync(join(dataDir, 'signals'), `${JSON.stringify([event.id, event.barTimeMs, signal])}\n`);
        return 'sent';
      },
    },
  });
  const stepMs = market.timeframeMs / (MOVES + 2);
  setup.clock.set(market.formingMs + firstMove * stepMs + 1000);
  if ((await setup.store.list(ANN)).length === 0)
    await setup.deploy({ targets: [TARGET], mode: 'trade', interval: '15m' });
  else await setup.deployments.start();
  for (let bar = first; bar < bars; bar += 1) {
    for (let move = bar === first ? firstMove : 0; move <= MOVES + 1; move += 1) {
      writeFileSync(`${progress}.new`, JSON.stringify([bar, move]));
      renameSync(`${progress}.new`, progress);
      onMove(bar, move);
      if (move > MOVES) await setup.closeBar();
      else {
        await setup.clock.advance(Math.max(0, market.formingMs + move * stepMs + 1000 - setup.clock.nowMs()));
        market.tick(market.formingAfter(move));
        await setup.clock.advance(2000);
      }
    }
  }
  await setup.close();
}

const [, , dataDir, bars] = process.argv;
if (import.meta.main && dataDir !== undefined) {
  console.log('ready');
  await liveThrough(dataDir, Number(bars), (bar, move) => console.log(`at ${bar} ${move}`));
  console.log('done');
}
