// Reads what a venue calls a bar, and refuses what cannot be one: nobody may trade on nonsense.

import type { Bar } from '../../market-data/price-source.ts';
import { barStart } from '../../market-data/timeframe.ts';
import { fieldsOf } from '../read-json.ts';
import { UpstreamError } from './upstream-error.ts';

export interface RawBar {
  readonly time: unknown;
  readonly open: unknown;
  readonly high: unknown;
  readonly low: unknown;
  readonly close: unknown;
  readonly volume: unknown;
}

const DECIMAL = /^\d{1,30}(?:\.\d{1,30})?$/;
const MAX_SHOWN_CHARS = 30;

/** Venues write numbers as decimal text or as JSON numbers; nothing else is one. */
function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : Number.NaN;
}

/** `title` names the venue in the error. `unit` turns the venue's volume into base currency. */
export function readBar(title: string, raw: RawBar, timeframeMs: number, unit = 1): Bar {
  const time = numberOf(raw.time);
  const [open, high, low, close] = [raw.open, raw.high, raw.low, raw.close].map(numberOf) as [
    number,
    number,
    number,
    number,
  ];
  const volume = numberOf(raw.volume) * unit;
  const fault = faultOf({ time, open, high, low, close, volume }, timeframeMs);
  if (fault === undefined) return { time, open, high, low, close, volume };
  throw new UpstreamError(`${title} gave a bar that makes no sense, so it is not used: ${fault}`);
}

function faultOf({ time, open, high, low, close, volume }: Bar, timeframeMs: number): string | undefined {
  if (!Number.isSafeInteger(time) || time < 0) return `its time is ${shown(time)}`;
  const when = `at ${new Date(Math.min(time, 8.64e15)).toISOString()}`;
  if (barStart(time, timeframeMs) !== time) return `${when} no bar of this timeframe starts`;
  for (const [name, price] of Object.entries({ open, high, low, close }))
    if (!Number.isFinite(price) || price <= 0) return `${when} the ${name} is ${shown(price)}`;
  if (high < Math.max(open, low, close)) return `${when} the high ${high} is not the highest price`;
  if (low > Math.min(open, close)) return `${when} the low ${low} is not the lowest price`;
  if (!Number.isFinite(volume) || volume < 0) return `${when} the volume is ${shown(volume)}`;
  return undefined;
}

const shown = (value: number): string => (Number.isNaN(value) ? 'no number' : String(value).slice(0, MAX_SHOWN_CHARS));

const PRICE = /^(?=.*[1-9])\d{1,20}(?:\.\d{1,20})?$/;

/** A price as plain decimal text; JSON numbers may come as 1e-7. */
export function readPrice(title: string, value: unknown): string {
  const text = typeof value === 'number' && Number.isFinite(value) ? decimalText(value) : value;
  if (typeof text === 'string' && PRICE.test(text)) return text;
  throw new UpstreamError(`${title} gave no price that makes sense; try again`);
}

/** The prices in a list of tickers, by the venue's names of their markets; a ticker that makes no sense is left out. */
export function readPrices(tickers: readonly unknown[], field: string): ReadonlyMap<string, string> {
  const prices = new Map<string, string>();
  for (const { symbol, [field]: price } of tickers.map(fieldsOf)) {
    const text = typeof price === 'number' && Number.isFinite(price) ? decimalText(price) : price;
    if (typeof symbol === 'string' && typeof text === 'string' && PRICE.test(text)) prices.set(symbol, text);
  }
  return prices;
}

/** Without an exponent, whatever the size. */
export function decimalText(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(20).replace(/\.?0+$/, '') : text;
}
