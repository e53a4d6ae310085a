// The timeframes of the chart, each with the key that chooses it.

export interface Timeframe {
  /** As GET /bars and the stream write it. */
  readonly name: string;
  /** As the language writes it. */
  readonly pine: string;
  readonly words: string;
  readonly ms: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The keys 1 to 8 choose them in this order. */
export const TIMEFRAMES: readonly Timeframe[] = [
  { name: '1m', pine: '1', words: '1 minute', ms: MINUTE_MS },
  { name: '5m', pine: '5', words: '5 minutes', ms: 5 * MINUTE_MS },
  { name: '15m', pine: '15', words: '15 minutes', ms: 15 * MINUTE_MS },
  { name: '30m', pine: '30', words: '30 minutes', ms: 30 * MINUTE_MS },
  { name: '1h', pine: '60', words: '1 hour', ms: HOUR_MS },
  { name: '4h', pine: '240', words: '4 hours', ms: 4 * HOUR_MS },
  { name: '1d', pine: '1D', words: '1 day', ms: DAY_MS },
  { name: '1w', pine: '1W', words: '1 week', ms: 7 * DAY_MS },
];

export const timeframeOf = (name: string): Timeframe =>
  TIMEFRAMES.find((timeframe) => timeframe.name === name) ?? TIMEFRAMES[4]!;
