// Whose word counts when an entry fills after its owner has changed the stops of its share: what he named later stays as he put it,
// and what he did not name comes with the entry.

import type { ProtectRequest } from '../signal.ts';

export type Part = keyof ProtectRequest;

/** What an entry asked for when it was sent. */
interface Sent {
  readonly createdAtMs: number;
  readonly asked: ProtectRequest;
}

/** When the owner last named a part himself, in milliseconds since 1970. */
export type NamedParts = { readonly [Each in Part]?: number };

/** What the owner may ask for; null takes a part away. */
export type AskedChange = {
  readonly [Each in Exclude<Part, 'activationPrice'>]?: ProtectRequest[Each] | null;
} & Pick<ProtectRequest, 'activationPrice'>;

/** Parts that stand for each other or count each other: whoever names one of them has decided about all of them. */
const TOGETHER: readonly (readonly Part[])[] = [
  ['stopLoss'],
  ['trail', 'activationPrice'],
  ['takeProfit', 'targets', 'breakEvenAfter'],
  ['maxHoldSeconds'],
];

/** After this change. A clock that was set back must not make his word older than an entry that waits already. */
export function namedBy(
  before: NamedParts | undefined,
  change: AskedChange,
  nowMs: number,
  waiting: readonly Sent[],
): NamedParts {
  const atMs = waiting.reduce((latest, { createdAtMs }) => Math.max(latest, createdAtMs), nowMs);
  const named = TOGETHER.filter((parts) => parts.some((part) => change[part] !== undefined)).flat();
  return { ...before, ...Object.fromEntries(named.map((part) => [part, atMs])) };
}

/** What the fill of this entry brings to a share of which the owner has named some parts since. */
export const stillAsked = ({ asked, createdAtMs }: Sent, named: NamedParts = {}): ProtectRequest =>
  Object.fromEntries(Object.entries(asked).filter(([part]) => (named[part as Part] ?? -Infinity) < createdAtMs));

/** A take profit closes all there is, targets close parts: each takes the place of the other. */
export const withExcluded = (change: AskedChange): AskedChange => ({
  ...(change.targets && { takeProfit: null }),
  ...(change.takeProfit && { targets: null }),
  ...change,
});

/** What an entry that has not filled asks for after a change. A new trail begins with the fill, new targets have no break-even. */
export function askedWith(before: ProtectRequest, given: AskedChange): ProtectRequest {
  const change = withExcluded(given);
  const { activationPrice, breakEvenAfter, ...others } = before;
  const kept = {
    ...others,
    ...(change.trail === undefined && { activationPrice }),
    ...(change.targets === undefined && { breakEvenAfter }),
  };
  const all = Object.entries({ ...kept, ...change }).filter(([, part]) => part !== null && part !== undefined);
  return Object.fromEntries(all);
}

/** Of a change, what takes something away. */
export const takenAway = (change: AskedChange): AskedChange =>
  Object.fromEntries(Object.entries(change).filter(([, part]) => part === null));
