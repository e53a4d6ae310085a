// How the owner's chat tells the money of an account, and what trading came to: one result, which is that of GET /performance,
// profits less fees and with the funding.

import { accountInWords, modeInWords } from '../accounts.ts';
import type { AccountReport } from '../books/account-reports.ts';
import type { Performance } from '../books/performance.ts';
import { type Decimal, decimal, minus, plus, roundTo, toText, ZERO } from '../decimal.ts';
import { escapeHtml } from '../notifications/escape.ts';
import { GAP_PART_WORDS, GAP_PARTS } from '../twin/twin-gap.ts';
import type { TwinReport } from '../twin/twin-reports.ts';
import type { VenueMode } from '../venue.ts';
import { signed } from './render.ts';

const CENT = decimal('0.01');
/** People read cents; the answers of the interface have every digit that counts. */
export const cents = (amount: Decimal): Decimal => roundTo(amount, CENT);

/** The part of a result that holding earned or cost; nothing where it is none. */
const fundingInWords = (funding: Decimal, before = ', funding'): string =>
  funding === ZERO ? '' : `${before} ${signed(cents(funding))}`;

export function accountLine(report: AccountReport): string {
  const { money, today, total, leverageInUse } = report;
  const result = ({ realizedPnl, fees, funding }: AccountReport['today']): string =>
    signed(cents(plus(minus(realizedPnl, fees), funding)));
  const worth =
    money === undefined
      ? 'a price is missing'
      : [
          `equity <b>${toText(cents(money.equity))}</b>`,
          `balance ${toText(cents(money.balance))}`,
          `unrealised ${signed(cents(money.unrealizedPnl))}`,
          `free ${toText(cents(money.available))}`,
        ].join(', ');
  const leverage = leverageInUse === undefined ? '' : `, ${toText(cents(leverageInUse))}x in use`;
  const name = `<b>${escapeHtml(accountInWords(report))}</b> (${modeInWords(report.mode)})`;
  return `${name}: ${worth}${leverage}; realised after fees ${result(today)} today, ${result(total)} in all${fundingInWords(total.funding, ', with funding')}`;
}

export function performanceLine(
  name: string,
  { trades, wins, pnl, fees, funding = ZERO, maxDrawdown }: Performance,
): string {
  const result = `<b>${signed(cents(plus(minus(pnl, fees), funding)))}</b>`;
  const won = trades === 0 ? '' : `, ${Math.round((100 * wins) / trades)} % won`;
  const counted = `${trades} ${trades === 1 ? 'trade' : 'trades'}${won}`;
  const sums = `fees ${toText(cents(fees))}${fundingInWords(funding)}, drawdown ${toText(cents(maxDrawdown))}`;
  return `${escapeHtml(name)}: ${result}, ${counted}, ${sums}`;
}

/** `In all`, `In all (LIVE)`: play money alone needs no mode, beside other money it does. */
export const namedWithMode = (name: string, mode: VenueMode, isAlone: boolean): string =>
  mode === 'paper' && isAlone ? name : `${name} (${modeInWords(mode)})`;

/** Parts that are nothing are left out. */
export function twinLine({ trades, gap, warnings, ...account }: TwinReport): string {
  const name = `<b>${escapeHtml(accountInWords(account))}</b> (${modeInWords(account.mode)})`;
  if (gap === undefined) return `${name}: a price is missing`;
  const parts = GAP_PARTS.filter((part) => gap.parts[part] !== ZERO);
  const split = parts.map((part) => `${GAP_PART_WORDS[part]} ${signed(gap.parts[part])}`).join(', ');
  const counted = `${trades} ${trades === 1 ? 'trade' : 'trades'}`;
  return `${name}: ${signed(gap.live)}, on paper ${signed(gap.twin)}, gap <b>${signed(gap.gap)}</b>${split && `: ${split}`}; ${counted}${warnings.map((each) => `. ${escapeHtml(each)}`).join('')}`;
}
