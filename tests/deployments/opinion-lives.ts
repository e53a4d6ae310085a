// A deployed strategy with a second opinion beside a real gateway: alerts are posted as TradingView renders the pasted text.

import { randomUUID } from 'node:crypto';
import { opinionSettings, opinionsView, type Target } from '../../src/library/deployments/index.ts';
import { createEngineRunner } from '../../src/library/deployments/testing/engine-runner.ts';
import { settled } from '../../src/library/deployments/testing/hand-clock.ts';
import { createHandMarket, MINUTE_MS } from '../../src/library/deployments/testing/hand-market.ts';
import { ANN, openTestSetup, type TestSetup } from '../../src/library/deployments/testing/open-test-setup.ts';
import { arrivedAlerts } from '../../src/services/gateway/arrived-alerts.ts';
import { createAlertTrader } from '../../src/services/gateway/trade-alert.ts';
import type { Sent, TestGateway } from '../support/gateway.ts';

export const BAR_MS = 5 * MINUTE_MS;
const STEP_MS = 500;
const QUANTITY = 0.01;
const START_MS = createHandMarket(1100, { timeframeMs: BAR_MS }).formingMs;
/** Buys on the first bar after the deployment, and closes on the third. */
const STRATEGY = `//@version=6
strategy("S", margin_long = 0, margin_short = 0)
if time == ${START_MS}
    strategy.entry("L", strategy.long, ${QUANTITY})
if time == ${START_MS + 2 * BAR_MS}
    strategy.close("L")
`;

/** What TradingView fills in for the entry, whose fill is at the open of the bar after. */
export const ENTRY = {
  '{{strategy.order.action}}': 'buy',
  '{{strategy.order.contracts}}': String(QUANTITY),
  '{{strategy.order.price}}': '100',
  '{{strategy.order.id}}': 'L',
  '{{strategy.market_position}}': 'long',
  '{{strategy.market_position_size}}': String(QUANTITY),
  '{{strategy.prev_market_position}}': 'flat',
  '{{strategy.prev_market_position_size}}': '0',
  '{{time}}': new Date(START_MS + BAR_MS).toISOString().replace('.000', ''),
};
/** The same for its close. */
export const EXIT = {
  ...ENTRY,
  '{{strategy.order.action}}': 'sell',
  '{{strategy.order.id}}': 'Close entry(s) order L',
  '{{strategy.market_position}}': 'flat',
  '{{strategy.market_position_size}}': '0',
  '{{strategy.prev_market_position}}': 'long',
  '{{strategy.prev_market_position_size}}': String(QUANTITY),
  '{{time}}': new Date(START_MS + 3 * BAR_MS).toISOString().replace('.000', ''),
};

export interface OpinionLife {
  readonly setup: TestSetup;
  readonly id: string;
  /** Time passes on both sides, and everything that is under way ends. */
  pass(ms: number): Promise<void>;
  /** An alert as TradingView sends it, under the webhook key. */
  post(rendered: Readonly<Record<string, string>>): Promise<Sent>;
  opinions(): Promise<ReturnType<typeof opinionsView>>;
  /** Called before and after each call of the gateway; what it throws is a lost call or a lost answer. */
  onTrade: ((moment: 'before' | 'after') => void) | undefined;
}

export async function openOpinionLife(
  gateway: TestGateway,
  settings: Parameters<typeof opinionSettings>[0] = {},
): Promise<OpinionLife> {
  const market = createHandMarket(1100, { timeframeMs: BAR_MS });
  // Each life has a key of its own: their deployments have the same id, and so have their events.
  const { key, apiKey } = await gateway.keys.create({ label: settings.alertName ?? 'tv' });
  const senderOf = (keyId: string) => gateway.keys.find(keyId);
  const { webhook: signal, data } = gateway;
  const trader = createAlertTrader({
    ...{ signal, senderOf, journal: data.journal, nextRequestId: randomUUID, maxAgeMs: 60_000 },
  });
  const underWay = new Set<Promise<unknown>>();
  const tracked = <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work);
    const over = (): void => void underWay.delete(work);
    work.then(over, over);
    return work;
  };
  /** The gateway lives by the clock of the test. */
  const sync = (): void => {
    gateway.clock.offsetMs = setup.clock.nowMs() - Date.now();
  };
  const setup = openTestSetup(0, {
    ...{ market, content: STRATEGY, newRunner: createEngineRunner, isUnowned: true },
    gateway: {
      arrived: (of) => tracked(arrivedAlerts(of, { arrivals: data.arrivals, senderOf })),
      trade: (alert) =>
        tracked(
          (async () => {
            sync();
            life.onTrade?.('before');
            const answer = await trader.trade(alert);
            life.onTrade?.('after');
            return answer;
          })(),
        ),
    },
  });
  const target: Target = {
    ...{ type: 'second-opinion', keyId: key.keyId, keyLabel: key.label, exchange: 'binance' },
    ...opinionSettings(settings),
  };
  const { id } = await setup.deploy({ targets: [target], interval: '5m', mode: 'trade' });
  setup.die();
  await setup.rise();
  const life: OpinionLife = {
    setup,
    id,
    onTrade: undefined,
    async pass(ms) {
      for (let leftMs = ms; leftMs > 0; leftMs -= STEP_MS) {
        await setup.clock.advance(Math.min(STEP_MS, leftMs));
        for (; underWay.size > 0; await settled()) await Promise.allSettled(underWay);
      }
      sync();
    },
    async post(rendered) {
      sync();
      const { alert } = await life.opinions();
      const text = Object.entries(rendered).reduce(
        (message, [placeholder, value]) => message.replaceAll(placeholder, value),
        (alert?.message ?? '').replace('whk_PUT-YOUR-KEY-HERE', apiKey),
      );
      const sent = await gateway.request('POST', `${alert?.path}`, text);
      // A refusal is written a moment after its answer; whoever reads the list does not miss it.
      await settled();
      await gateway.refusals.list({ limit: 1 });
      return sent;
    },
    async opinions() {
      const found = await setup.deployments.opinions(ANN, id, 100);
      if (found.kind !== 'opinions') throw new Error('there is no such deployment');
      return opinionsView(found);
    },
  };
  return life;
}

/** The entry has just filled: the first bar is over, and the second has begun. */
export async function enter({ setup, pass }: Pick<OpinionLife, 'setup' | 'pass'>): Promise<void> {
  await setup.closeBar();
  setup.market.tick();
  await pass(1000);
}
