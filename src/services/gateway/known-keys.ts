// Keeps the keys of the settings out of what is stored of a signal, also those of other senders.

import type { SignalOrder } from '../../trading/signal.ts';
import { invalid } from './read-signal.ts';

const MASK = '***';
/** Names by which something is found again: masked, two of them would be one. */
const NAMES = ['symbol', 'strategy', 'alertId', 'idempotencyKey'] as const;

/**
 * Keys of ours are known by their form, and the signal's own by its value, when it is read; those of the settings have no
 * form. In words for people they are masked, in names they are refused.
 *
 * `isSenderKnown` is asked only where there is one: whoever has no key himself must not learn from the answer that he has
 * guessed one.
 */
export function withoutKnownKeys(
  order: SignalOrder,
  keys: readonly string[],
  isSenderKnown: () => boolean,
): SignalOrder {
  const { comment, notify } = order;
  const texts = [...NAMES.map((name) => order[name]), comment, notify?.message];
  if (!texts.some((text) => text !== undefined && holdsKey(text, keys)) || !isSenderKnown()) return order;
  const faults = NAMES.filter((name) => holdsKey(order[name] ?? '', keys));
  if (faults.length > 0) throw invalid(faults.map((name) => `${name}: holds a key, send another`));
  const mask = (text: string): string => keys.reduce((masked, key) => masked.replaceAll(key, MASK), text);
  return {
    ...order,
    ...(comment !== undefined && { comment: mask(comment) }),
    ...(notify?.message !== undefined && { notify: { ...notify, message: mask(notify.message) } }),
  };
}

const holdsKey = (text: string, keys: readonly string[]): boolean => keys.some((key) => text.includes(key));
