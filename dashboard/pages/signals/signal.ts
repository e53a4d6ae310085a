// A signal with what became of it: traded or refused, in one shape for every list.

import type { Refusal, Trade } from '../../server/answers.ts';
import type { Tone } from '../../ui/chip.tsx';
import { plain } from '../../ui/numbers.ts';
import { outcomeOf, SIGNAL_SOURCES, type Size, sizeOf, venueOf } from '../trades/trade-words.ts';

export interface Signal {
  readonly id: string;
  readonly at: number;
  readonly market: string;
  readonly action: string;
  readonly size: Size;
  readonly outcome: string;
  readonly tone: Tone;
  /** The price, the reason, or what was refused and why. */
  readonly why: string;
  readonly from: string;
  readonly venue: string;
  /** It has a story of its own. */
  readonly isTrade: boolean;
  /** Where it was refused. */
  readonly refusal?: Refusal;
}

/** A trade that the venue refused is among the refusals too: it is one signal. */
export const joined = (trade: Signal, { refusal }: Signal): Signal => ({ ...trade, ...(refusal && { refusal }) });

export function latestSignals(trades: readonly Trade[], refusals: readonly Refusal[], most: number): readonly Signal[] {
  const signals = new Map(trades.filter(isOfSignal).map((trade) => [trade.requestId, signalOfTrade(trade)]));
  for (const refused of refusals.map(signalOfRefusal)) {
    const trade = signals.get(refused.id);
    signals.set(refused.id, trade === undefined ? refused : joined(trade, refused));
  }
  return [...signals.values()].sort((a, b) => b.at - a.at).slice(0, most);
}

/** Stops, liquidations and your own closes are trades without a signal. */
export const isOfSignal = ({ source }: Trade): boolean => SIGNAL_SOURCES.has(source);

export function signalOfTrade(trade: Trade): Signal {
  const [outcome, tone] = outcomeOf(trade.status);
  const price = trade.averagePrice ?? trade.price;
  return {
    ...{ id: trade.requestId, at: trade.receivedAt, market: trade.market, action: trade.action, isTrade: true },
    ...{ size: sizeOf(trade), outcome, tone, from: trade.strategy ?? trade.keyLabel },
    venue: venueOf(trade),
    why: trade.error ?? (price === null ? '' : `${trade.averagePrice === null ? 'limit ' : ''}${plain(price)}`),
  };
}

export const DUPLICATE = 'DUPLICATE_SIGNAL';

export function signalOfRefusal(refusal: Refusal): Signal {
  const { id, receivedAt, key, door, code, error } = refusal;
  const asked = askedOf(refusal);
  return {
    ...{ id, at: receivedAt, isTrade: false, why: error, refusal },
    from: asked.strategy ?? key ?? door,
    ...{
      market: asked.market ?? '',
      action: asked.action ?? '',
      size: { filled: undefined, asked: asked.quantity === undefined ? undefined : plain(asked.quantity) },
    },
    venue: asked.exchange ?? '',
    ...(code === DUPLICATE ? { outcome: 'duplicate', tone: 'warn' } : { outcome: 'refused', tone: 'down' }),
  };
}

/** What a refused signal asked for, as far as that was kept: what could be a secret is not. */
export interface Asked {
  readonly exchange?: string | undefined;
  readonly account?: string | undefined;
  readonly strategy?: string | undefined;
  readonly action?: string | undefined;
  readonly market?: string | undefined;
  readonly quantity?: number | undefined;
}

const NOT_KEPT = '***';

export function askedOf({ body }: Pick<Refusal, 'body'>): Asked {
  const fields = fieldsOf(body);
  const text = (value: unknown): string | undefined =>
    typeof value === 'string' && value !== NOT_KEPT && value !== '' ? value.slice(0, 40) : undefined;
  const number = (value: unknown): number | undefined => {
    const found = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
  };
  return {
    exchange: text(fields.exchange)?.toLowerCase(),
    account: text(fields.account),
    strategy: text(fields.strategy),
    action: text(fields.action),
    market: text(fields.symbol) ?? text(fields.ticker),
    quantity: number(fields.quantity) ?? number(fields.contracts),
  };
}

/** What was sent may be anything. */
function fieldsOf(body: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
