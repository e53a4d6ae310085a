// What the books say of money, beside what their fills come to: what was earned, what it was bought at, what fees and funding took, and
// what is left on the account. Of accounts on paper; a real venue tells its own profit, and is compared with by itself.

import type { DatabaseSync } from 'node:sqlite';
import { type Decimal, decimal, toText } from '../../../src/trading/decimal.ts';
import { type Finding, finding, isOnPaper } from '../nothing-lost.ts';
import {
  averageOf,
  executionsOf,
  fillLines,
  type Held,
  NettedHolding,
  type PaperFill,
  paperFills,
  SIDES,
  shareName,
  walkFills,
} from './booked-fills.ts';

type Row = Readonly<Record<string, unknown>>;

const PLACE = "exchange || ' ' || account || ' ' || market AS place";

export interface MoneyOptions {
  /** Exchanges whose books are not on paper. */
  readonly live: readonly string[];
  /** What every paper account has begun with. */
  readonly balance: string;
}

export function checkMoney(db: DatabaseSync, { live, balance }: MoneyOptions): Finding[] {
  const fills = paperFills(db, live);
  const positions = walkFills(fills, ({ place }) => place);
  const onPaper = isOnPaper(live);
  const ours = db.prepare(`SELECT ${PLACE}, * FROM positions WHERE ${onPaper}`).all();
  const theirs = db.prepare(`SELECT ${PLACE}, * FROM paper_positions`).all();
  const shares = db.prepare(`SELECT ${PLACE}, * FROM strategy_books WHERE ${onPaper}`).all();
  // A market has shares from the first fill on whose strategy has a name.
  const divided = new Set(shares.map(({ place }) => place));
  const held = walkFills(
    fills.filter(({ place }) => divided.has(place)),
    shareName,
  );
  const faults = [
    ...compareHeld('position', ours, positions, ({ place }) => String(place)),
    ...theirs.flatMap((row) => entryFaults('paper position', row, positions.get(String(row.place)))),
    ...compareHeld('share', shares, held, ({ place, strategy }) =>
      shareName({ place: String(place), strategy: String(strategy) }),
    ),
    ...compareFillLines(db),
    ...compareAverages(db, fills, onPaper),
    ...compareBalances(db, fills, { positions, balance }),
  ];
  return faults.map((words) => finding('other', words));
}

const text = (amount: bigint): string => toText(amount as Decimal);

/** The product rounds once with each fill, to the twelfth place; here it is rounded once, at the end. */
const isNear = (stored: unknown, amount: bigint, fills: number): boolean => {
  const difference = decimal(String(stored)) - amount;
  return (difference < 0n ? -difference : difference) <= BigInt(fills);
};

function compareHeld(
  what: string,
  rows: readonly Row[],
  held: ReadonlyMap<string, NettedHolding>,
  nameOf: (row: Row) => string,
): string[] {
  const bySide = new Map(rows.map((row) => [`${nameOf(row)} ${row.side}`, row]));
  const names = new Set([...held.keys(), ...rows.map(nameOf)]);
  return [...names].flatMap((name) => {
    const holding = held.get(name) ?? new NettedHolding();
    return SIDES.flatMap((side) => heldFaults(`${what} ${name} ${side}`, bySide.get(`${name} ${side}`), holding[side]));
  });
}

function heldFaults(name: string, row: Row | undefined, held: Held): string[] {
  if (row === undefined) return held.fills === 0 ? [] : [`${name} has fills and is not in the books`];
  return [
    ...differs(`the quantity of ${name}`, row.quantity, held.quantity, 0),
    ...differs(`the entry price of ${name}`, row.entry_price, held.entryPrice, 1),
    ...differs(`the realized P&L of ${name}`, row.realized_pnl, held.realizedPnl, held.fills),
    ...differs(`the fees of ${name}`, row.fees, held.fees, 0),
  ];
}

const differs = (what: string, stored: unknown, amount: bigint, tolerance: number): string[] =>
  isNear(stored, amount, tolerance) ? [] : [`${what} is ${stored}, and by its fills ${text(amount)}`];

function entryFaults(what: string, row: Row, holding = new NettedHolding()): string[] {
  const held = holding[row.side === 'LONG' ? 'LONG' : 'SHORT'];
  return differs(`the entry price of the ${what} ${row.place} ${row.side}`, row.entry_price, held.entryPrice, 1);
}

/** What we have booked is what the venue has booked, to the last character. */
function compareFillLines(db: DatabaseSync): string[] {
  const orders = db
    .prepare(`SELECT client_order_id AS id, orders.fills AS ours, paper_orders.fills AS theirs
      FROM orders JOIN paper_orders USING (client_order_id, exchange, account)`)
    .all();
  const inWords = (column: unknown): string => JSON.stringify(fillLines(column).map((line) => line.slice(0, 6)));
  return orders
    .filter(({ ours, theirs }) => inWords(ours) !== inWords(theirs))
    .map(({ id, ours, theirs }) => `${id}: our fills are ${inWords(ours)}, those of the venue ${inWords(theirs)}`);
}

function compareAverages(db: DatabaseSync, fills: readonly PaperFill[], onPaper: string): string[] {
  const executions = executionsOf(fills);
  const trades = db.prepare(`SELECT seq, executed_quantity, average_price FROM trades WHERE ${onPaper}`).all();
  return trades.flatMap(({ seq, executed_quantity, average_price }) => {
    const execution = executions.get(Number(seq)) ?? { quantity: 0n, cost: 0n };
    const name = `of trade ${seq}`;
    return [
      ...differs(`the executed quantity ${name}`, executed_quantity, execution.quantity, 0),
      ...differs(`the average price ${name}`, average_price ?? '0', averageOf(execution), 1),
    ];
  });
}

interface Balances {
  readonly positions: ReadonlyMap<string, NettedHolding>;
  readonly balance: string;
}

/** What an account began with, what its positions have earned, and what fees and funding have taken. */
function compareBalances(db: DatabaseSync, fills: readonly PaperFill[], { positions, balance }: Balances): string[] {
  const funding = db.prepare("SELECT exchange || ' ' || account AS account, amount FROM paper_funding").all();
  const paid = Map.groupBy(funding, ({ account }) => account);
  const places = Map.groupBy(fills, ({ account }) => account);
  const accounts = db.prepare("SELECT exchange || ' ' || account AS account, balance FROM paper_accounts").all();
  return accounts.flatMap(({ account, balance: stored }) => {
    const own = places.get(String(account)) ?? [];
    const held = [...new Set(own.map(({ place }) => place))].flatMap((place) => positions.get(place) ?? []);
    const sides = held.flatMap(({ LONG, SHORT }) => [LONG, SHORT]);
    const earned = sides.reduce((sum, { realizedPnl, fees }) => sum + realizedPnl - fees, 0n);
    const settled = (paid.get(account) ?? []).reduce((sum, { amount }) => sum + decimal(String(amount)), 0n);
    return differs(`the balance of ${account}`, stored, decimal(balance) + earned + settled, own.length);
  });
}
