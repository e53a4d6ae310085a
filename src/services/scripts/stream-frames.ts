// The frames of the market-data stream, each encoded once however many clients it goes to.

import type { FeedState, LiveBar } from '../../market-data/bar-feed.ts';
import type { ScriptsErrorCode } from './errors.ts';

/** What a client follows, and where the bars come from: `simulated` is to be seen wherever a price is. */
export interface Topic {
  readonly symbol: string;
  readonly interval: string;
  readonly source: string;
}

/** A client that has let go of a market is told so with a state of its own. */
export type StreamState = FeedState | 'unsubscribed';

const frame = (fields: object): Buffer => Buffer.from(JSON.stringify(fields));

export const PONG_FRAME = frame({ type: 'pong' });

export const statusFrame = (state: StreamState, topic: Topic): Buffer => frame({ type: 'status', state, ...topic });

/** The bar twice: in our words, and in `k` as charting clients know it from Binance, prices as text. */
export function klineFrame({ symbol, interval, source }: Topic, bar: LiveBar): Buffer {
  const { time, open, high, low, close, volume, closed } = bar;
  return frame({
    type: 'kline',
    symbol,
    interval,
    source,
    bar: { time, open, high, low, close, volume, closed },
    k: {
      t: time,
      o: plainText(open),
      h: plainText(high),
      l: plainText(low),
      c: plainText(close),
      v: plainText(volume),
      x: closed,
    },
  });
}

/** `asked` is what the client called it, so that it knows which of its subscriptions is meant. */
export const errorFrame = (code: ScriptsErrorCode, message: string, asked: object = {}): Buffer =>
  frame({ type: 'error', code, message, ...asked });

/** Without an exponent: not every reader of decimal text knows 1e-7. */
function plainText(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  return value >= 1 ? BigInt(value).toString() : value.toFixed(20).replace(/\.?0+$/, '');
}
