// What the accounts have at the end, in the past and in the replay: balances, positions and the shares of strategies.

import { accountInWords } from '../accounts.ts';
import { keyInWords } from '../books/position.ts';
import { minus, plus, toText, ZERO } from '../decimal.ts';
import type { RecordedAccount, RecordedPast } from './recorded-past.ts';

export interface ComparedHolding {
  /** An account, a position, or a strategy's share of one, in words. */
  readonly name: string;
  /** Undefined where it has none. */
  readonly past: string | undefined;
  readonly replayed: string | undefined;
}

/** Those that differ. Positions are known for the end of the past only: of a stretch that ends before it, balances alone. */
export function differentHoldings(
  past: RecordedPast,
  replayed: RecordedPast,
  toMs: number,
): readonly ComparedHolding[] {
  const isWhole = past.trades.every(({ updatedAtMs }) => updatedAtMs < toMs);
  // An account that was opened since, and is not used, is no difference.
  const unused = replayed.accounts.map(
    (account) => [accountInWords(account), toText(account.startingBalance)] as const,
  );
  const was = new Map([...unused, ...holdingsOf(past, toMs, isWhole)]);
  const is = holdingsOf(replayed, toMs, isWhole);
  const names = [...new Set([...was.keys(), ...is.keys()])].sort();
  return names
    .map((name) => ({ name, past: was.get(name), replayed: is.get(name) }))
    .filter((each) => each.past !== each.replayed);
}

function holdingsOf(past: RecordedPast, toMs: number, withPositions: boolean): ReadonlyMap<string, string> {
  const balances = past.accounts.map((account) => [accountInWords(account), balanceAt(past, account, toMs)] as const);
  if (!withPositions) return new Map(balances);
  const positions = past.positions
    .filter(({ quantity }) => quantity > ZERO)
    .map(
      (position) => [keyInWords(position), `${toText(position.quantity)} at ${toText(position.entryPrice)}`] as const,
    );
  const books = past.books
    .filter(({ quantity }) => quantity > ZERO)
    .map((book) => {
      const held = `${toText(book.quantity)} at ${toText(book.entryPrice)}`;
      return [`${keyInWords(book)} of ${book.strategy || 'no strategy'}`, held] as const;
    });
  return new Map([...balances, ...positions, ...books]);
}

/** As it was at that moment: what it began with, and what fills and funding until then have brought and cost. */
function balanceAt({ trades }: RecordedPast, account: RecordedAccount, toMs: number): string {
  const fills = trades
    .filter(({ trade }) => trade.order.exchange === account.exchange && trade.account === account.account)
    .flatMap(({ orders }) => orders.flatMap((order) => order.fills))
    .filter(({ atMs }) => atMs < toMs);
  const held = account.funding.filter(({ atMs }) => atMs < toMs).map(({ amount }) => amount);
  const earned = fills.map(({ realizedPnl, fee }) => minus(realizedPnl, fee));
  return toText([...earned, ...held].reduce(plus, account.startingBalance));
}
