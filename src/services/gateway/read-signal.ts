// From the bytes of a webhook body to an order for the gates, or one refusal that lists every fault.

import type { z } from 'zod';
import { Refusal } from '../../http/errors.ts';
import { parseJsonBody } from '../../http/json-body.ts';
import { maskSecrets } from '../../http/mask-secrets.ts';
import { zodFaults } from '../../http/zod-faults.ts';
import { decimal } from '../../trading/decimal.ts';
import { marketOf } from '../../trading/market-symbol.ts';
import type { NotifyRequest, SignalOrder } from '../../trading/signal.ts';
import { plainSignal } from './plain-signal.ts';
import { type SignalBody, signalSchema } from './schemas.ts';

export interface ReadSignal {
  readonly apiKey: string;
  readonly order: SignalOrder;
}

/** Asking for protection and silently not getting it would be worse than a refusal. */
const NOT_YET = ['stopLoss', 'takeProfit', 'trailPercent'];

export function readJsonBody(body: Uint8Array): unknown {
  const parsed = parseJsonBody(body);
  if (!parsed.ok) throw new Refusal('INVALID_JSON', parsed.message);
  return parsed.value;
}

export function checkShape<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  const faults = parsed.success ? [] : zodFaults(parsed.error, value);
  if (typeof value === 'object' && value !== null) {
    for (const field of NOT_YET) {
      if (field in value) faults.push(`${field}: protective orders are not part of this release, remove the field`);
    }
  }
  if (parsed.success && faults.length === 0) return parsed.data;
  throw invalid(faults);
}

export const invalid = (faults: readonly string[]): Refusal =>
  new Refusal('INVALID_PAYLOAD', faults.join('; '), { extra: { faults } });

export function readSignal(body: Uint8Array): ReadSignal {
  const value = readJsonBody(body);
  return orderOf(plainSignal(value) ?? checkShape(signalSchema, value));
}

export function orderOf(signal: SignalBody): ReadSignal {
  const market = marketOf(signal.symbol);
  if (market === undefined) throw invalid(['symbol: names no market, send one such as BTCUSDT']);
  const { apiKey, exchange, action, symbol, leverage, idempotencyKey } = signal;
  const notify = signal.notify && withoutKeys(signal.notify);
  const quantity = decimal(signal.quantity);
  const price = signal.price === undefined ? undefined : decimal(signal.price);
  const faults = [];
  if (quantity === 0n) faults.push('quantity: is smaller than any market trades, send more');
  if (price === 0n) faults.push('price: is smaller than any market trades at, send a higher one');
  if (faults.length > 0) throw invalid(faults);
  return { apiKey, order: { exchange, action, symbol, market, quantity, price, leverage, idempotencyKey, notify } };
}

/** The text is stored and sent to a chat: a key that slipped into the template must not go with it. */
function withoutKeys(notify: NotifyRequest): NotifyRequest {
  return notify.message === undefined ? notify : { ...notify, message: maskSecrets(notify.message) };
}
