// Whether the balance of an account changed by more than its fills, fees and funding explain: somebody has paid in or out, or has
// traded beside us.

import { type AccountName, accountInWords, nameOf } from '../accounts.ts';
import type { PositionBook } from '../books/position-book.ts';
import { absolute, type Decimal, decimal, larger, minus, plus, times, toText, ZERO } from '../decimal.ts';
import type { Venue } from '../venue.ts';
import type { Difference } from './reconciliation.ts';

interface Money {
  readonly balance: Decimal;
  /** All that our books have earned on the account so far, after fees, with funding. */
  readonly earned: Decimal;
  readonly fees: Decimal;
}

/** Venues round each payment in their own way. */
const SMALLEST = decimal('1');
const SMALLEST_SHARE = decimal('0.0005');

export class BalanceCheck {
  readonly #book: Pick<PositionBook, 'all'>;
  /** By account, as it was at the last check. */
  readonly #last = new Map<string, Money>();

  constructor(book: Pick<PositionBook, 'all'>) {
    this.#book = book;
  }

  /**
   * Undefined where nothing is left to explain, and while fills are booked at this moment: the next check counts both. What a
   * check finds that is not `final` is asked about once more: a payment may be listed later than it is made.
   */
  async check(venue: Venue, isFinal: boolean): Promise<Difference | undefined> {
    const before = this.#booked(venue);
    const { balance } = await venue.summary();
    await venue.readFunding?.();
    const funding = (await venue.fundingTotal?.()) ?? ZERO;
    const { earned, fees } = this.#booked(venue);
    if (earned !== before.earned) return undefined;
    const now: Money = { balance, fees, earned: plus(earned, funding) };
    const last = this.#last.get(nameOf(venue));
    const difference = last && differenceOf(venue, last, now);
    if (difference === undefined || isFinal) this.#last.set(nameOf(venue), now);
    return difference;
  }

  #booked(venue: AccountName): { readonly earned: Decimal; readonly fees: Decimal } {
    const ours = this.#book.all().filter((position) => nameOf(position) === nameOf(venue));
    const fees = ours.reduce((sum, position) => plus(sum, position.fees), ZERO);
    return {
      fees,
      earned: minus(
        ours.reduce((sum, { realizedPnl }) => plus(sum, realizedPnl), ZERO),
        fees,
      ),
    };
  }
}

function differenceOf(venue: Venue, last: Money, now: Money): Difference | undefined {
  const unexplained = minus(minus(now.balance, last.balance), minus(now.earned, last.earned));
  // Fees that are taken in another coin than the balance is told in do not change it.
  const fees = absolute(minus(now.fees, last.fees));
  const forgiven = plus(larger(SMALLEST, times(absolute(last.balance), SMALLEST_SHARE)), fees);
  if (absolute(unexplained) <= forgiven) return undefined;
  const change = unexplained > ZERO ? 'risen' : 'fallen';
  return {
    kind: 'balance',
    outcome: 'told',
    detail: `the balance of ${accountInWords(venue)} has ${change} by ${toText(absolute(unexplained))} USDT that fills, fees and funding do not explain: a deposit, a withdrawal, or a trade beside us`,
  };
}
