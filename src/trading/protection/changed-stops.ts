// What the fill of an entry would change of the stops of what its share holds already, in a sentence: they are those of the whole
// share, so the stops of an entry take the place of those of everything that is held, and one without any is guarded with it.

import { type Holding, increase, profitAt } from '../books/holding.ts';
import { shownStop, shownTarget } from '../books/shown-amounts.ts';
import type { ShareName } from '../books/strategy-book.ts';
import { absolute, type Decimal, decimal, over, roundTo, times, toText, ZERO } from '../decimal.ts';
import type { FilledEntry } from '../execution/order-costs.ts';
import type { ProtectRequest } from '../signal.ts';
import { asPrices, newProtection, withAsked } from './new-protection.ts';
import { type Protection, stopLossOf } from './protection.ts';

/** Undefined where nothing is held, or nothing changes for it, and where neither has a stop. */
export function changedStops(
  share: ShareName,
  held: Holding | undefined,
  known: Protection | undefined,
  entry: FilledEntry,
): string | undefined {
  // A share that is being closed has its stops no more when this entry fills.
  if (held === undefined || held.quantity === ZERO || known?.fired) return undefined;
  const before =
    known ?? newProtection(share, { createdAtMs: 0, seenUntilMs: 0, closeRequestId: '', origin: undefined });
  const whole = increase(held, entry.quantity, entry.price);
  const { asked } = entry;
  if (asked === undefined) return guardedWith(before, held, whole, entry);
  const after = afterFill(before, whole, { ...entry, asked });
  const parts = changes(before, after, entry.tick);
  if (parts.length === 0) return undefined;
  const theirs = `Its stops become those of the ${toText(held.quantity)} that you hold already, too`;
  return `${theirs}: it ${listed(parts)}.${atStop(after, whole, entry)}`;
}

function guardedWith(before: Protection, held: Holding, whole: Holding, entry: FilledEntry): string | undefined {
  const { level } = stopLossOf(before);
  if (level === undefined) return undefined;
  const at = toText(shownStop(level, before.side, entry.tick));
  return `It is guarded by the stop at ${at} of the ${toText(held.quantity)} that you hold already.${atStop(before, whole, entry)}`;
}

function afterFill(before: Protection, { quantity }: Holding, entry: FilledEntry & { readonly asked: ProtectRequest }) {
  const { asked, price, tick, quantity: filled } = entry;
  const basis = { price, filled, quantity, tick, sinceMs: 0 };
  return withAsked(asPrices(before), asked, { price, atMs: 0, basis });
}

function changes(before: Protection, after: Protection, tick: Decimal): string[] {
  const { side } = before;
  const stop = (level: Decimal): string => toText(shownStop(level, side, tick));
  const target = (level: Decimal): string => toText(shownTarget(level, side, tick));
  return [
    movedLevel('stop', stopLossOf(before).level, stopLossOf(after).level, stop),
    changedTrail(before, after),
    movedLevel('take profit', before.takeProfit, after.takeProfit, target),
    changedTargets(before, after, target),
    before.breakEvenAfter !== undefined && after.breakEvenAfter === undefined
      ? 'ends the move of the stop to the entry price'
      : undefined,
    before.maxHoldSeconds === after.maxHoldSeconds
      ? undefined
      : `lets it be held for ${after.maxHoldSeconds} s at most`,
  ].filter((part) => part !== undefined);
}

function movedLevel(
  what: string,
  before: Decimal | undefined,
  after: Decimal | undefined,
  shown: (level: Decimal) => string,
): string | undefined {
  if (before === after) return undefined;
  if (before === undefined) return after === undefined ? undefined : `sets a ${what} at ${shown(after)}`;
  if (after === undefined) return `removes the ${what} at ${shown(before)}`;
  return `moves the ${what} from ${shown(before)} to ${shown(after)}`;
}

/** A trail that an entry asks for begins anew, also where it is as wide as the one before. */
function changedTrail({ trail: before }: Protection, { trail: after }: Protection): string | undefined {
  if (before === after || after === undefined) return undefined;
  return before === undefined ? 'sets a trail' : 'begins the trail anew';
}

function changedTargets(
  { targets: before, targetsHit = 0 }: Protection,
  { targets: after }: Protection,
  shown: (level: Decimal) => string,
): string | undefined {
  if (before === after) return undefined;
  const left = (before ?? []).map(({ level }, index) => `${index + 1} at ${shown(level)}`).slice(targetsHit);
  if (left.length === 0) return after === undefined ? undefined : 'sets targets';
  return `${after === undefined ? 'removes' : 'replaces'} target${left.length > 1 ? 's' : ''} ${listed(left)}`;
}

const listed = (parts: readonly string[]): string =>
  [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter((part) => part !== '').join(' and ');

/** Counted from the prices at which all of it was opened. */
function atStop(after: Protection, whole: Holding, { equity }: FilledEntry): string {
  const { level } = stopLossOf(after);
  if (level === undefined) return '';
  const result = profitAt(whole, after.side, level);
  const part = equity === undefined || equity <= ZERO ? ZERO : over(times(absolute(result), HUNDRED), equity);
  const ofAccount = part === ZERO ? '' : `, ${shown(part)} % of what the account is worth`;
  const does = result < ZERO ? 'loses' : 'earns';
  return ` At the stop the whole position of ${toText(whole.quantity)} ${does} about ${shown(absolute(result))} USDT${ofAccount}.`;
}

const HUNDRED = decimal(100);
const CENT = decimal('0.01');
const shown = (amount: Decimal): string => toText(roundTo(amount, CENT));
