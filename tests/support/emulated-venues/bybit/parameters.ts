// What a caller of Bybit has sent, read one by one. Numbers come as texts in plain decimals; anything else is refused.

import { type Decimal, decimal } from '../../../../src/trading/decimal.ts';
import type { MarketSpec } from '../market-spec.ts';
import type { VenueRequest } from '../venue-server.ts';
import { BybitRefusal } from './ret-codes.ts';

const PLAIN = /^\d{1,20}(\.\d{1,12})?$/;

export class Parameters {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(request: VenueRequest) {
    this.#values =
      request.method === 'GET' ? Object.fromEntries(new URLSearchParams(request.rawQuery)) : jsonOf(request);
  }

  /** Undefined where it is missing or empty, which is the same to Bybit. */
  text(name: string): string | undefined {
    const value = this.#values[name] ?? '';
    if (typeof value !== 'string') throw new BybitRefusal(10001, `params error: ${name} must be a string`);
    return value === '' ? undefined : value;
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw new BybitRefusal(10001, `params error: ${name} is required`);
    return value;
  }

  /** One of these words. */
  word<Word extends string>(name: string, words: readonly Word[], otherwise?: Word): Word {
    const value = this.text(name) ?? otherwise;
    const found = words.find((word) => word === value);
    if (found === undefined) throw new BybitRefusal(10001, `${name[0]?.toUpperCase()}${name.slice(1)} invalid`);
    return found;
  }

  amount(name: string): Decimal | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!PLAIN.test(value)) throw new BybitRefusal(10001, `${name[0]?.toUpperCase()}${name.slice(1)} invalid`);
    return decimal(value);
  }

  /** A number in a body, its digits in a query. */
  integer(name: string): number | undefined {
    const value = this.#values[name];
    if (value === undefined || value === '') return undefined;
    const number = Number(value);
    if (!Number.isSafeInteger(number)) throw new BybitRefusal(10001, `params error: ${name} must be an integer`);
    return number;
  }

  flag(name: string): boolean {
    const value = this.#values[name] ?? false;
    if (typeof value !== 'boolean') throw new BybitRefusal(10001, `params error: ${name} must be true or false`);
    return value;
  }

  /** Only linear contracts are emulated. */
  checkCategory(): void {
    if (this.text('category') !== 'linear') throw new BybitRefusal(10001, 'params error: Category is invalid');
  }

  spec(specs: ReadonlyMap<string, MarketSpec>): MarketSpec {
    const spec = specs.get(this.required('symbol'));
    if (spec === undefined) throw new BybitRefusal(10001, 'params error: Symbol Invalid');
    return spec;
  }
}

function jsonOf({ body }: VenueRequest): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Answered below, as every other body that is no object.
  }
  throw new BybitRefusal(10001, 'params error: the body must be a JSON object');
}

export interface Page<Row> {
  readonly list: readonly Row[];
  readonly nextPageCursor: string;
}

/** Part of a long list; the cursor of one answer is asked with to get the next. Empty at the end. */
export function pageOf<Row>(
  rows: readonly Row[],
  parameters: Parameters,
  size: { readonly usual: number; readonly most: number },
): Page<Row> {
  const limit = Math.min(parameters.integer('limit') ?? size.usual, size.most);
  const start = Number(/page_token=(\d+)/.exec(parameters.text('cursor') ?? '')?.[1] ?? 0);
  const isLast = start + limit >= rows.length;
  return { list: rows.slice(start, start + limit), nextPageCursor: isLast ? '' : `page_token=${start + limit}&` };
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

/** The stretch of time a list is asked for: the last week unless said, and a week at most. */
export function periodOf(parameters: Parameters, nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  const start = parameters.integer('startTime');
  const end = parameters.integer('endTime');
  const fromMs = start ?? (end ?? nowMs) - WEEK_MS;
  const toMs = end ?? (start === undefined ? nowMs : start + WEEK_MS);
  if (toMs < fromMs) throw new BybitRefusal(10001, 'params error: endTime must be later than startTime');
  if (toMs - fromMs > WEEK_MS)
    throw new BybitRefusal(10001, 'The time range between startTime and endTime cannot exceed 7 days');
  return { fromMs, toMs };
}
