// Fields of a signal that we do not know: told back to the sender, or refused where they must have been meant to protect
// or to size the trade. A trade without the stop its sender wrote is worse than no trade.

import { maskSecrets } from '../../http/mask-secrets.ts';

/** What the sender wrote, in lower case and without `_` and `-`, and what to do about it. */
const NEAR_MISSES: ReadonlyMap<string, string> = new Map([
  ...['stoploss', 'sl', 'stoplossprice'].map((name) => [name, 'send stopLoss'] as const),
  ...['takeprofit', 'tp', 'takeprofitprice'].map((name) => [name, 'send takeProfit'] as const),
  ...['trailing', 'trailpercent'].map((name) => [name, 'send trailPercent'] as const),
  ...['qty', 'amount', 'size', 'quantity'].map((name) => [name, 'send quantity, in base currency'] as const),
  ['reduceonly', 'remove it and send CLOSE_LONG or CLOSE_SHORT as action'],
  ...['ordertype', 'type'].map(
    (name) => [name, 'remove it: with a price it is a limit order, without a market order'] as const,
  ),
  ...['lev', 'leverage'].map((name) => [name, 'send leverage'] as const),
  ['quantitytype', 'quantityType is not supported by this version: remove it and send quantity in base currency'],
  ['qtytype', 'quantityType is not supported by this version: remove it and send quantity in base currency'],
  ...['trail', 'targets', 'breakevenafter', 'maxholdseconds'].map(
    (name) =>
      [
        name,
        'not supported by this version: remove it; stopLoss, takeProfit and trailPercent protect a position',
      ] as const,
  ),
]);

/** A hostile body could hold thousands; these are enough to mend an alert by. */
const MAX_NAMED = 20;
const MAX_NAME_CHARS = 64;

export interface UnknownFields {
  readonly faults: readonly string[];
  /** One sentence for each field that was ignored. */
  readonly warnings: readonly string[];
}

const NONE: UnknownFields = { faults: [], warnings: [] };

export function unknownFields(value: unknown, known: ReadonlySet<string>): UnknownFields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return NONE;
  const unknown = Object.keys(value).filter((name) => !known.has(name));
  if (unknown.length === 0) return NONE;
  const faults: string[] = [];
  const warnings: string[] = [];
  for (const name of unknown.slice(0, MAX_NAMED)) {
    const remedy = NEAR_MISSES.get(name.toLowerCase().replace(/[_-]/g, ''));
    const shown = maskSecrets(name).slice(0, MAX_NAME_CHARS);
    if (remedy === undefined) warnings.push(`${shown}: is not known and was ignored`);
    else faults.push(`${shown}: is not a field of a signal, ${remedy}`);
  }
  // None of the rest may slip through unseen because of those before it.
  const rest = unknown.slice(MAX_NAMED);
  if (rest.length > 0) {
    if (rest.some((name) => NEAR_MISSES.has(name.toLowerCase().replace(/[_-]/g, '')))) faults.push(TOO_MANY);
    warnings.push(`${rest.length} more fields are not known and were ignored`);
  }
  return { faults, warnings };
}

const TOO_MANY = 'body: has many unknown fields, and some of them size or protect a trade; remove what is not needed';
