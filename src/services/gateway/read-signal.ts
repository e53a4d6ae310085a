// From the bytes of a webhook body to an order for the gates, or one refusal that lists every fault.

import type { z } from 'zod';
import { Refusal } from '../../http/errors.ts';
import { parseJsonBody } from '../../http/json-body.ts';
import { maskSecrets } from '../../http/mask-secrets.ts';
import { zodFaults } from '../../http/zod-faults.ts';
import { ACTION_MEANING } from '../../trading/action.ts';
import { decimal } from '../../trading/decimal.ts';
import { marketOf } from '../../trading/intake/market-symbol.ts';
import { plainName, strategyNameFault, trimName } from '../../trading/name-spelling.ts';
import type { NotifyRequest, SignalOrder } from '../../trading/signal.ts';
import { asSent, type FindSymbol, mapSymbol } from './map-symbol.ts';
import { plainSignal } from './plain-signal.ts';
import { limitTermsOf } from './read-limit-terms.ts';
import { protectOf } from './read-protect.ts';
import { signalSchema } from './schemas.ts';
import { tidyComment } from './tidy-comment.ts';
import { unfilledPlaceholders } from './unfilled-placeholders.ts';
import { unknownFields } from './unknown-fields.ts';

export interface ReadSignal {
  readonly apiKey: string;
  readonly order: SignalOrder;
  /** What was ignored, for the sender. */
  readonly warnings: readonly string[];
}

export function readJsonBody(body: Uint8Array): unknown {
  const parsed = parseJsonBody(body);
  if (!parsed.ok) throw new Refusal('INVALID_JSON', parsed.message);
  return parsed.value;
}

/** An alert whose Message was never changed sends a sentence of the platform's own, such as `BTCUSDT Crossing 94000`. */
export function readAlertBody(body: Uint8Array): unknown {
  const parsed = parseJsonBody(body);
  if (parsed.ok) return parsed.value;
  throw new Refusal('INVALID_JSON', isPlainText(body) ? PLAIN_TEXT : parsed.message);
}

const PLAIN_TEXT =
  "The body is plain text, such as an alert's own, and not JSON. " +
  "Paste the template of docs/guides/tradingview.md into the alert's Message and put your key in.";

/** Whether it begins as a sentence does: JSON that went wrong begins with a bracket or a quote. */
const isPlainText = (body: Uint8Array): boolean => /^\uFEFF?\s*[\p{L}\p{N}]/u.test(new TextDecoder().decode(body));

export function checkShape<T>(schema: z.ZodType<T>, value: unknown, further: readonly string[] = []): T {
  const parsed = schema.safeParse(value);
  if (parsed.success && further.length === 0) return parsed.data;
  throw invalid([...(parsed.success ? [] : zodFaults(parsed.error, value)), ...further]);
}

export const invalid = (faults: readonly string[]): Refusal =>
  new Refusal('INVALID_PAYLOAD', faults.join('; '), { extra: { faults } });

export function readSignal(body: Uint8Array, symbols?: FindSymbol): ReadSignal {
  const mapped = tidyComment(mapSymbol(readAlertBody(body), symbols));
  const { value } = mapped;
  const plain = plainSignal(value);
  if (plain) return { apiKey: plain.apiKey, order: asSent(orderOf(plain), mapped), warnings: mapped.warnings };
  const unfilled = unfilledPlaceholders(value, SIGNAL_FIELDS);
  if (unfilled.length > 0) throw invalid(unfilled);
  const { faults, warnings } = unknownFields(value, SIGNAL_FIELDS);
  const signal = checkShape(signalSchema, value, faults);
  return { apiKey: signal.apiKey, order: asSent(orderOf(signal), mapped), warnings: [...mapped.warnings, ...warnings] };
}

export const SIGNAL_FIELDS: ReadonlySet<string> = new Set(Object.keys(signalSchema.shape));

/** A signal whose sender may be known in another way than by a key in it, as that of a mail is. */
export const keylessSignal = signalSchema.partial({ apiKey: true });
export type KeylessSignal = z.infer<typeof keylessSignal>;

export function orderOf(signal: KeylessSignal): SignalOrder {
  const market = marketOf(signal.symbol);
  if (market === undefined) throw invalid(['symbol: names no market, send one such as BTCUSDT']);
  const { exchange, account, action, symbol, leverage, idempotencyKey } = signal;
  // Blanks around them are slips of a template: an exit must find what its entry opened.
  const [strategy, comment] = [signal.strategy && trimName(signal.strategy), signal.comment?.trim()];
  const mask = keyMask(signal);
  const notify = signal.notify && withoutKeys(signal.notify, mask);
  const quantity = decimal(signal.quantity);
  const price = signal.price === undefined ? undefined : decimal(signal.price);
  const faults: string[] = [];
  if (quantity === 0n) faults.push('quantity: is smaller than any market trades, send more');
  if (price === 0n) faults.push('price: is smaller than any market trades at, send a higher one');
  faults.push(...strategyFaults(action, strategy, mask));
  const protect = protectOf(signal, price, faults);
  faults.push(...sizingFaults(signal));
  const terms = limitTermsOf(signal, faults);
  const alertId = alertIdOf(signal, mask, faults);
  if (faults.length > 0) throw invalid(faults);
  const { quantityType } = signal;
  const size = quantityType === undefined || quantityType === 'base' ? { quantity } : { quantity, quantityType };
  const what = { exchange, account, action, symbol, market, ...size, price, ...terms, leverage };
  const order = {
    ...what,
    strategy,
    ...(comment && { comment: mask(comment) }),
    idempotencyKey,
    alertId,
    notify,
  };
  return protect ? { ...order, protect } : order;
}

/** A name that is easily mistaken opens nothing; what was opened under one, by an earlier version, can still be closed. */
function strategyFaults(action: SignalOrder['action'], strategy: string | undefined, mask: KeyMask): readonly string[] {
  if (strategy === undefined) return [];
  if (strategy === '') return ['strategy: is blank, send a name or leave it out'];
  if (mask(strategy) !== strategy) return ['strategy: holds a key, send a name such as trend'];
  const fault = ACTION_MEANING[action].closes ? undefined : strategyNameFault(strategy);
  return fault === undefined ? [] : [`strategy: ${fault}`];
}

/** One spelling for every door. Two names that are masked alike would be one alert. */
function alertIdOf({ alertId }: KeylessSignal, mask: KeyMask, faults: string[]): string | undefined {
  const name = alertId === undefined ? undefined : plainName(alertId);
  if (name === '') faults.push('alertId: is blank, send a name of this alert such as long-{{ticker}}-{{timenow}}');
  if (name !== undefined && mask(name) !== name)
    faults.push('alertId: holds a key, send a name of this alert such as long-{{ticker}}-{{timenow}}');
  return name;
}

/** More than this of an account no leverage reaches. */
const MAX_PERCENT_EQUITY = 12_500;

/** A size that cannot be meant: of a close, of an entry, without its stop, or beyond all there is. */
function sizingFaults({ action, quantity, quantityType, stopLoss }: KeylessSignal): readonly string[] {
  const { closes } = ACTION_MEANING[action];
  switch (quantityType) {
    case 'percent_position':
      if (!closes) return [`quantityType: percent_position is for closes, send another for ${action}`];
      return quantity > 100 ? ['quantity: is a percentage of what is held, send 100 at most'] : [];
    case 'percent_equity':
    case 'risk_percent':
      if (closes) return [`quantityType: ${quantityType} is for entries, send percent_position for ${action}`];
      if (quantityType === 'risk_percent' && stopLoss === undefined)
        return ['stopLoss: is missing, risk_percent is worked out from its distance'];
      if (quantityType === 'risk_percent' && quantity > 100)
        return ['quantity: is a percentage of the account, send 100 at most'];
      return quantity > MAX_PERCENT_EQUITY
        ? [`quantity: is a percentage of the account, send ${MAX_PERCENT_EQUITY} at most`]
        : [];
    default:
      return [];
  }
}

type KeyMask = (text: string) => string;

/**
 * Texts are stored and sent to chats: a key that slipped into the template must not go with them. The signal's own is known;
 * it may be one from the settings, which has no form to be found by.
 */
const keyMask =
  ({ apiKey }: KeylessSignal): KeyMask =>
  (text) =>
    maskSecrets(apiKey === undefined ? text : text.replaceAll(apiKey, apiKey.startsWith('whk_') ? 'whk_***' : '***'));

function withoutKeys(notify: NotifyRequest, mask: KeyMask): NotifyRequest {
  return notify.message === undefined ? notify : { ...notify, message: mask(notify.message) };
}
