// What a caller of MEXC has sent: in the path, in the query, or in a JSON body with real numbers.

import { type Decimal, decimal } from '../../../../src/trading/decimal.ts';
import type { VenueRequest } from '../venue-server.ts';
import { MexcRefusal } from './error-codes.ts';

export class Parameters {
  /** Of a body that is a list: its entries. */
  readonly list: readonly unknown[];
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(request: VenueRequest, ofPath: Readonly<Record<string, string>> = {}) {
    const sent: unknown = request.method === 'POST' ? jsonOf(request) : fromQuery(request.rawQuery);
    this.list = Array.isArray(sent) ? sent : [];
    this.#values = { ...(Array.isArray(sent) ? {} : (sent as object)), ...ofPath };
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value !== 'string' && typeof value !== 'number') throw new MexcRefusal(600);
    return String(value);
  }

  amount(name: string): Decimal | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    try {
      return decimal(text);
    } catch {
      throw new MexcRefusal(600, `Parameter error: ${name}`);
    }
  }

  integer(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!Number.isSafeInteger(Number(text))) throw new MexcRefusal(600, `Parameter error: ${name}`);
    return Number(text);
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }
}

const fromQuery = (rawQuery: string): object => Object.fromEntries(new URLSearchParams(rawQuery));

function jsonOf({ body }: VenueRequest): unknown {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Answered below, as everything else that is neither object nor list.
  }
  throw new MexcRefusal(600);
}

/** Pages are counted from one. A size over the most falls back to the usual one. */
export function pageOf<Row>(rows: readonly Row[], parameters: Parameters): Row[] {
  const asked = parameters.integer('page_size') ?? USUAL_SIZE;
  const size = asked > MAX_SIZE || asked < 1 ? USUAL_SIZE : asked;
  const page = parameters.integer('page_num') ?? 1;
  return rows.slice((page - 1) * size, page * size);
}
const USUAL_SIZE = 20;
const MAX_SIZE = 100;

const DAY_MS = 24 * 60 * 60 * 1000;

/** The last week unless said, and 90 days at most. */
export function periodOf(parameters: Parameters, nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  const toMs = parameters.integer('end_time') ?? nowMs;
  const fromMs = parameters.integer('start_time') ?? toMs - 7 * DAY_MS;
  if (fromMs > toMs || toMs - fromMs > 90 * DAY_MS) throw new MexcRefusal(6003);
  return { fromMs, toMs };
}
