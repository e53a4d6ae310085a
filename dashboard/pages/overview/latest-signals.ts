// Every signal, traded or not, in one list: trades and refusals by the time they came.

import type { Refusal, Trade } from '../../server/answers.ts';
import type { Tone } from '../../ui/chip.tsx';
import { plain } from '../../ui/numbers.ts';

export interface Signal {
  readonly id: string;
  readonly at: number;
  readonly market: string;
  readonly action: string;
  readonly quantity: number | null;
  readonly outcome: string;
  readonly tone: Tone;
  /** The price, the reason, or what was refused and why. */
  readonly why: string;
  readonly from: string;
  /** Of a trade, for its story. */
  readonly isTrade: boolean;
}

export const latestSignals = (
  trades: readonly Trade[],
  refusals: readonly Refusal[],
  most: number,
): readonly Signal[] => [...trades.map(ofTrade), ...refusals.map(ofRefusal)].sort((a, b) => b.at - a.at).slice(0, most);

const OUTCOMES: Readonly<Record<string, readonly [outcome: string, tone: Tone]>> = {
  Filled: ['filled', 'up'],
  PartiallyFilled: ['partly filled', 'accent'],
  Submitted: ['resting', 'accent'],
  Enqueued: ['waiting', 'accent'],
  Sending: ['sending', 'accent'],
  Unknown: ['unknown', 'warn'],
  Rejected: ['refused', 'down'],
  Canceled: ['canceled', 'plain'],
  Expired: ['expired', 'plain'],
};

function ofTrade(trade: Trade): Signal {
  const [outcome, tone] = OUTCOMES[trade.status] ?? [trade.status.toLowerCase(), 'plain' as const];
  const price = trade.averagePrice ?? trade.price;
  return {
    ...{ id: trade.requestId, at: trade.receivedAt, market: trade.market, action: trade.action, isTrade: true },
    ...{ quantity: trade.quantity, outcome, tone, from: trade.strategy ?? trade.keyLabel },
    why: trade.error ?? (price === null ? '' : `${trade.averagePrice === null ? 'limit ' : ''}${plain(price)}`),
  };
}

const IS_TWICE = new Set(['DUPLICATE_SIGNAL', 'DUPLICATE_ALERT']);

function ofRefusal({ id, receivedAt, key, door, code, error, body }: Refusal): Signal {
  const asked = fieldsOf(body);
  const isTwice = IS_TWICE.has(code);
  return {
    ...{ id, at: receivedAt, isTrade: false, from: key ?? door, why: error },
    ...{ market: textOf(asked.symbol), action: textOf(asked.action), quantity: numberOf(asked.quantity) },
    ...(isTwice ? { outcome: 'duplicate', tone: 'warn' } : { outcome: 'refused', tone: 'down' }),
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

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 40) : '');
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
