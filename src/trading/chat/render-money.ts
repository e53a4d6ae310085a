// How the owner's chat tells the money of an account.

import { accountInWords } from '../accounts.ts';
import type { AccountReport } from '../books/account-reports.ts';
import { type Decimal, decimal, minus, roundTo, toText } from '../decimal.ts';
import { escapeHtml } from '../notifications/escape.ts';
import { signed } from './render.ts';

const CENT = decimal('0.01');
/** People read cents; the answers of the interface have every digit that counts. */
export const cents = (amount: Decimal): Decimal => roundTo(amount, CENT);

export function accountLine(report: AccountReport): string {
  const { money, today, total, leverageInUse } = report;
  const result = (of: AccountReport['today']): string => signed(cents(minus(of.realizedPnl, of.fees)));
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
  const name = `<b>${escapeHtml(accountInWords(report))}</b> (${report.mode})`;
  return `${name}: ${worth}${leverage}; realised after fees ${result(today)} today, ${result(total)} in all`;
}
