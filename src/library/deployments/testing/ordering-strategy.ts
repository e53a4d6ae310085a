// A deployed strategy that orders so much on each bar, on the real engine and a market of hours that a test closes by hand.

import type { Stopped } from '../../script-runner.ts';
import type { DeploymentEvent, Target } from '../deployment.ts';
import type { BarSource, DeploymentRunner, MarketBars } from '../ports.ts';
import { createEngineRunner } from './engine-runner.ts';
import { createHandMarket, MINUTE_MS } from './hand-market.ts';
import { openTestSetup, type TestSetup } from './open-test-setup.ts';

export const HOUR_MS = 60 * MINUTE_MS;
const TRADE: Target = { type: 'trade', keyId: 'k', keyLabel: 'mine', exchange: 'binance' };
const FLAT = { open: 100, high: 100, low: 100, close: 100, volume: 1 };

export interface OrderingOptions {
  /** Of the call of strategy(). */
  readonly declared?: string;
  /** Awaited before each run; where it stops the run, that is its outcome. */
  readonly hold?: () => Promise<Stopped | undefined>;
  /** Of each order's call, after its quantity. */
  readonly fields?: string;
  readonly target?: Target;
  /** Lines after the orders, made with the time of the first bar. */
  readonly lines?: (firstMs: number) => string;
  /** What the books of the gateway hold. */
  readonly held?: () => number;
  /** Whether the key store is asked for its owner, every second. */
  readonly isOwned?: boolean;
  /** Whether its exchange is not on paper, so that its bars are those of the exchange. */
  readonly isReal?: boolean;
}

export interface OrderingStrategy {
  readonly setup: TestSetup;
  readonly id: string;
  /** The bar that formed when it was deployed. */
  readonly firstMs: number;
  /** Alarms in the order in which they were raised. */
  readonly raised: string[];
  /** Bars close, and after each the next one opens. */
  live(bars?: number): Promise<void>;
  tick(): Promise<void>;
  /** The process is away for so many bars and half of one. */
  away(bars: number): Promise<void>;
  orders(): NonNullable<DeploymentEvent['order']>[];
}

/** The bars of a market as those of an exchange that is not on paper. */
export const ownBars = (market: MarketBars, name: string): BarSource => ({
  ...{ name, isOwn: true, bars: (...asked) => market.bars(...asked), follow: (...asked) => market.follow(...asked) },
});

const heldUp = (engine: DeploymentRunner, hold: OrderingOptions['hold']): DeploymentRunner => ({
  ...engine,
  async advance(...run) {
    return (await hold?.()) ?? engine.advance(...run);
  },
});

/** Positive buys, negative sells; each order fills at the open of the bar after its own. */
export async function deployOrders(
  orders: readonly number[],
  options: OrderingOptions = {},
): Promise<OrderingStrategy> {
  const {
    declared = '',
    hold,
    fields = '',
    target = TRADE,
    lines,
    held = () => 0,
    isOwned = false,
    isReal = false,
  } = options;
  const raised: string[] = [];
  const market = createHandMarket(1010, { timeframeMs: HOUR_MS, barAt: (time) => ({ time, ...FLAT }) });
  const firstMs = market.formingMs;
  const calls = orders.map((quantity, place) => {
    const side = quantity > 0 ? 'strategy.long' : 'strategy.short';
    const call = `strategy.order("o${place}", ${side}, ${Math.abs(quantity)}${fields})`;
    return quantity === 0 ? '' : `if time == ${firstMs + place * HOUR_MS}\n    ${call}\n`;
  });
  const strategyCall = `strategy("S", margin_long = 0, margin_short = 0, pyramiding = 100${declared})`;
  const setup = openTestSetup(0, {
    ...{ market, newRunner: () => heldUp(createEngineRunner(), hold), isUnowned: !isOwned },
    content: `//@version=6\n${strategyCall}\n${calls.join('')}${lines?.(firstMs) ?? ''}plot(close)\n`,
    ...(isReal && { origin: { marketData: 'simulated', own: new Map([['binance', ownBars(market, 'binance')]]) } }),
    books: { held: async () => (held() === 0 ? [] : [{ account: 'binance:main', quantity: held() }]) },
    alarms: { raise: (_, text) => void raised.push(text), over: (kind) => void raised.push(`over: ${kind}`) },
  });
  const { id } = await setup.deploy({ targets: [target], interval: '1h', mode: 'trade' });
  // What looks by itself begins with the start of a process.
  setup.die();
  await setup.rise();
  const strategy: OrderingStrategy = {
    ...{ setup, id, firstMs, raised },
    async live(bars = 1) {
      for (let bar = 0; bar < bars; bar += 1) {
        await setup.closeBar();
        await strategy.tick();
      }
    },
    async tick() {
      market.tick();
      await setup.clock.advance(2000);
    },
    async away(bars) {
      setup.die();
      await setup.pass(bars * HOUR_MS + HOUR_MS / 2);
      await setup.rise();
      await setup.clock.advance(2000);
    },
    orders: () => setup.arrived.flatMap(({ event }) => event.order ?? []),
  };
  return strategy;
}
