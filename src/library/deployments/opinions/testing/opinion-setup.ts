// A deployed script with a second opinion, on a market, a clock and a gateway that a test moves by hand.

import type { OpinionTarget, Target } from '../../deployment.ts';
import type { AlertArrival } from '../../ports.ts';
import { createEngineRunner } from '../../testing/engine-runner.ts';
import { createHandMarket, type HandMarket, MINUTE_MS } from '../../testing/hand-market.ts';
import { ANN, openTestSetup, type TestSetup } from '../../testing/open-test-setup.ts';

type Answer = () => {
  status: number;
  requestId: string;
  code?: string;
  error?: string;
  originalRequestId?: string;
};

interface Prices {
  open: number;
  high: number;
  low: number;
  close: number;
}
/** Short ones, because the watch looks every second of them. */
export const BAR_MS = 5 * MINUTE_MS;
export const FLAT: Prices = { open: 100, high: 100, low: 100, close: 100 };
const OPINION: OpinionTarget = {
  ...{ type: 'second-opinion', keyId: 'k', keyLabel: 'tv', exchange: 'binance', alertName: 'mine', sendMissing: false },
  ...{ lateAfterSeconds: 15, sendAfterSeconds: 25, quantityTolerancePercent: 1, priceTolerancePercent: 0.5 },
};

export let setup: TestSetup;
export let market: HandMarket;
export let shapes: Map<number, Prices>;
export let firstMs: number;
export let arrivals: AlertArrival[];
export let traded: { eventId: string; message: string; createdAtMs?: number | undefined }[];
let answer: Answer;
export let raised: string[];
export let id: string;

export async function deployed(
  content: string,
  more: Partial<OpinionTarget> = {},
  mode: 'dry-run' | 'trade' = 'trade',
) {
  shapes = new Map();
  arrivals = [];
  traded = [];
  raised = [];
  answer = () => ({ status: 200, requestId: `r${traded.length}` });
  const placeOf = (timeMs: number): number => (timeMs - firstMs) / BAR_MS;
  market = createHandMarket(1200, {
    timeframeMs: BAR_MS,
    barAt: (time) => ({ time, volume: 1, ...(shapes.get(placeOf(time)) ?? FLAT) }),
  });
  firstMs = market.formingMs;
  setup = openTestSetup(0, {
    ...{ market, content: `//@version=6\n${content}\n`, newRunner: createEngineRunner, isUnowned: true },
    alarms: { raise: (_, text) => void raised.push(text), over: (kind) => void raised.push(`over: ${kind}`) },
    gateway: {
      arrived: async ({ sinceMs }) => arrivals.filter(({ receivedAtMs }) => receivedAtMs >= sinceMs),
      async trade(alert) {
        traded.push(alert);
        return answer();
      },
    },
  });
  const targets: Target[] = [{ ...OPINION, ...more }];
  ({ id } = await setup.deploy({ targets, interval: '5m', mode }));
  setup.die();
  await setup.rise();
}

/** A tick of the forming bar, and everything that follows within two seconds. */
export async function tick(prices: Partial<Prices> = {}): Promise<void> {
  const open = prices.open ?? 100;
  market.tick({ time: market.formingMs, volume: 1, open, high: open, low: open, close: open, ...prices });
  await setup.clock.advance(2000);
}

export const iso = (timeMs: number): string => new Date(timeMs).toISOString().replace('.000', '');
export const entryId = (timeMs = firstMs + BAR_MS): string => `mine/L/buy/long/${iso(timeMs)}`;
export const exitId = (timeMs = firstMs + BAR_MS): string => `mine/X/sell/flat/${iso(timeMs)}`;

/** As TradingView's alert of the entry comes in, now. */
export const arrives = (more: Partial<AlertArrival> = {}): void =>
  void arrivals.push({
    ...{
      requestId: `a${arrivals.length}`,
      alertId: entryId(),
      receivedAtMs: setup.clock.nowMs(),
      decision: 'accepted',
    },
    ...{ market: 'BTCUSDT', action: 'LONG', quantity: 2, before: { position: 'flat', size: null }, comment: 'L @ 100' },
    ...more,
  });

export const states = async () =>
  (await opinions()).opinions.map(({ alertId, state }) => [alertId, state] as const).reverse();
export async function opinions() {
  const found = await setup.deployments.opinions(ANN, id, 100);
  if (found.kind !== 'opinions') throw new Error('no deployment');
  return found;
}
export const only = async () => (await opinions()).opinions[0]!;
export const said = async () => (await setup.logs(id)).filter((line) => line.startsWith('opinion: '));

export const START_MS = createHandMarket(1200, { timeframeMs: BAR_MS }).formingMs;
export const MARGIN = 'margin_long = 0, margin_short = 0';
export const entering = (): string => `strategy("S", ${MARGIN})
if time == ${START_MS}
    strategy.entry("L", strategy.long, 2)
    strategy.exit("X", "L", stop = 95, limit = 120)`;

/** The entry fills at the first tick of the second bar. */
export async function entered(more: Partial<OpinionTarget> = {}, mode?: 'dry-run' | 'trade'): Promise<void> {
  await deployed(entering(), more, mode);
  await setup.closeBar();
  await tick();
}

/** What the gateway says to what we send. */
export const answering = (told: Answer): void => {
  answer = told;
};
