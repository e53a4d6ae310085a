// The signals of a run of chaos, drawn at random: entries with every kind of stop and with leverage, limit orders, exits.

import type { Random } from '../random.ts';

interface ChaosMarket {
  readonly symbol: string;
  readonly price: number;
  readonly unit: number;
  /** Of a price, behind the point. */
  readonly digits: number;
}

/** Markets, their price, and an amount that every venue takes. */
export const MARKETS: readonly [ChaosMarket, ChaosMarket] = [
  { symbol: 'BTCUSDT', price: 50_000, unit: 0.003, digits: 1 },
  { symbol: 'ETHUSDT', price: 3_000, unit: 0.01, digits: 2 },
];
const MOST_LEVERAGE = 10;

export type DrawnSignal = Readonly<Record<string, unknown>> & { readonly action: keyof typeof OPPOSITE };

const OPPOSITE = { LONG: 'SHORT', SHORT: 'LONG', CLOSE_LONG: 'CLOSE_SHORT', CLOSE_SHORT: 'CLOSE_LONG' } as const;
const ACTIONS = ['LONG', 'SHORT', 'LONG', 'SHORT', 'CLOSE_LONG', 'CLOSE_SHORT'] as const;

/** The same the other way. */
export const turned = (signal: DrawnSignal): DrawnSignal => ({ ...signal, action: OPPOSITE[signal.action] });

export function drawSignal(random: Random): DrawnSignal {
  const { symbol, unit, price, digits } = random.of(MARKETS);
  const action = random.of(ACTIONS);
  const strategy = random.of([undefined, 'trend', 'range']);
  const limit = random.chance(25) ? Number((price * (1 + random.between(-6, 6) / 1000)).toFixed(digits)) : undefined;
  const quantity = Number((unit * random.between(1, 3)).toFixed(3));
  const isEntry = action === 'LONG' || action === 'SHORT';
  const stops = isEntry && random.chance(70) ? drawStops(random) : {};
  const leverage = isEntry && random.chance(20) ? { leverage: random.between(2, MOST_LEVERAGE) } : {};
  return { symbol, action, strategy, quantity, price: limit, ...stops, ...leverage };
}

/** Near enough for the prices of a run to reach them. */
function drawStops(random: Random): object {
  const percent = (least: number, most: number) => ({ percent: random.between(least, most) / 10 });
  const kind = random.between(0, 9);
  const loss = kind < 8 ? { stopLoss: percent(3, 9) } : {};
  const trail = kind < 5 ? {} : { trail: percent(3, 9) };
  if (random.chance(25)) return { ...loss, ...trail, targets: [{ ...percent(2, 6), share: 0.5 }], breakEvenAfter: 1 };
  return { ...loss, ...trail, ...(random.chance(40) && { takeProfit: percent(3, 9) }) };
}
