// Compares what a gateway wrote about its trades with what the venues know: every difference in words.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Exchange } from '../../../src/exchanges/exchange.ts';
import { accountInWords } from '../../../src/trading/accounts.ts';
import { type Decimal, decimal, plus, toText, ZERO } from '../../../src/trading/decimal.ts';
import { isStopId } from '../../../src/trading/execution/client-order-id.ts';
import { LIQUIDATION } from '../../../src/trading/signal.ts';
import { CLIENT_ORDER_PREFIX } from '../../../src/trading/venue.ts';
import type { EmulatedVenue } from '../emulated-venues/emulated-venue.ts';
import { type FuturesOrder, isOpen } from '../emulated-venues/futures-order.ts';

/** A signal, and whether its sender was told that it is taken. */
export interface SentSignal {
  readonly idempotencyKey: string;
  isAcknowledged: boolean;
}

/** Where others trade beside us. */
export interface OwnersMarket {
  /** In words. */
  readonly account: string;
  readonly symbol: string;
}

/** By the words of their accounts: `binance`, `binance:second`. */
type Venues = ReadonlyMap<string, Pick<EmulatedVenue, 'market'>>;
type Row = Readonly<Record<string, unknown>>;
const FINAL = ['filled', 'rejected', 'canceled', 'expired'];

export function compareBooks(
  dataDir: string,
  venues: Venues,
  sent: readonly SentSignal[],
  owners?: OwnersMarket,
): string[] {
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'), { readOnly: true });
  try {
    const all = (sql: string): Row[] => db.prepare(sql).all();
    // Others may trade on paper meanwhile.
    const ofVenues = (rows: readonly Row[]): Row[] => rows.filter((row) => venues.has(accountOf(row)));
    return [
      ...signalFaults(all('SELECT * FROM trades'), sent),
      ...orderFaults(ofVenues(all(`SELECT *, ${FILLS} AS booked, ${SOURCE} AS source FROM orders`)), venues),
      ...positionFaults(ofVenues(all("SELECT * FROM positions WHERE quantity != '0'")), venues),
      // Nobody but us trades there: our books must never have been found wrong.
      ...adoptions(
        all("SELECT * FROM events WHERE kind = 'position-adopted'").filter(
          ({ detail }) => owners === undefined || !String(detail).includes(`${owners.symbol} on ${owners.account}: `),
        ),
        all(HISTORY),
      ),
    ];
  } finally {
    db.close();
  }
}

/** What was written of every order, so that an adoption can be understood. */
const HISTORY = `SELECT events.*, trades.exchange, trades.account, trades.market, trades.action FROM events JOIN trades ON trades.seq = events.trade_seq
  ORDER BY events.at`;

const adoptions = (adopted: readonly Row[], history: readonly Row[]): string[] =>
  adopted.flatMap(({ at, detail }) => [
    `adopted at ${at}: ${detail}`,
    ...history
      .filter((event) => String(detail).includes(`${event.market} on ${accountOf(event)}: `))
      .map((event) => `  ${event.at} trade ${event.trade_seq} ${event.action} ${event.kind} ${event.detail ?? ''}`),
  ]);

const SOURCE = '(SELECT source FROM trades WHERE trades.seq = orders.trade_seq)';
const FILLS = `(SELECT json_group_array(quantity) FROM fills WHERE fills.trade_seq = orders.trade_seq
  AND fills.client_order_id = orders.client_order_id)`;

function signalFaults(trades: readonly Row[], sent: readonly SentSignal[]): string[] {
  const byKey = Map.groupBy(trades, ({ idempotency_key }) => idempotency_key);
  const faults = sent.flatMap(({ idempotencyKey, isAcknowledged }) => {
    const rows = byKey.get(idempotencyKey) ?? [];
    if (rows.length > 1 && rows.filter(({ state }) => state === 'filled').length > 1)
      return [`the signal ${idempotencyKey} was traded ${rows.length} times`];
    return rows.length === 0 && isAcknowledged ? [`the signal ${idempotencyKey} was acknowledged and is gone`] : [];
  });
  const endless = trades.filter(({ state }) => !FINAL.includes(String(state)));
  return [...faults, ...endless.map(({ request_id, state }) => `the trade ${request_id} has no end: it is ${state}`)];
}

function orderFaults(all: readonly Row[], venues: Venues): string[] {
  const forced = all.filter(({ source }) => source === LIQUIDATION);
  const [ours, ofStops] = [false, true].map((isStop) =>
    all.filter((row) => !forced.includes(row) && isStopId(String(row.client_order_id)) === isStop),
  ) as [Row[], Row[]];
  const theirs = new Map([...venues].map(([account, { market }]) => [account, ordersById(market.orders)]));
  const faults = ours.flatMap((row) => {
    const id = String(row.client_order_id);
    const account = accountOf(row);
    const found = theirs.get(account)?.get(id) ?? [];
    theirs.get(account)?.delete(id);
    return found.length > 1 ? [`${id} is ${found.length} orders at ${account}`] : differenceOf(row, found[0]);
  });
  const strangers = [...theirs].flatMap(([account, orders]) =>
    [...orders.keys()].map((id) => `${account} has the order ${id}, of which the journal knows nothing`),
  );
  const [isStop, isForced] = [
    ({ stopId }: FuturesOrder) => stopId !== undefined,
    (order: FuturesOrder) => order.forced !== undefined,
  ];
  return [
    ...[...faults, ...strangers],
    ...unnamedFaults('its stops have sent', ofStops, venues, isStop),
    ...unnamedFaults('it has liquidated', forced, venues, isForced),
  ];
}

/** Of a row that names one. */
export const accountOf = ({ exchange, account }: Row): string =>
  accountInWords({ exchange: exchange as Exchange, account: String(account) });

const ordersById = (orders: readonly FuturesOrder[]): Map<string, FuturesOrder[]> =>
  Map.groupBy(
    orders.filter(({ clientOrderId, stopId }) => stopId === undefined && clientOrderId.startsWith(CLIENT_ORDER_PREFIX)),
    ({ clientOrderId }) => clientOrderId,
  );

/** Not every venue gives the order of a stop the id of the stop, nor its own orders a name: all of them together must be the same ones. */
function unnamedFaults(
  what: string,
  ours: readonly Row[],
  venues: Venues,
  isMeant: (order: FuturesOrder) => boolean,
): string[] {
  return [...venues].flatMap(([account, { market }]) => {
    const orders = market.orders.filter((order) => isMeant(order) && order.executed > ZERO);
    const there = orders.map(({ symbol, side, executed }) => `${symbol} ${side} ${toText(executed)}`);
    const rows = ours.filter((row) => accountOf(row) === account && bookedOf(row) > ZERO);
    const here = rows.map((row) => `${row.market} ${row.side} ${toText(bookedOf(row))}`);
    const [booked, sent] = [here.toSorted().join(', '), there.toSorted().join(', ')];
    return booked === sent ? [] : [`${account}: ${what} ${sent || 'nothing'}; we have booked ${booked || 'nothing'}`];
  });
}

const bookedOf = ({ booked }: Row): Decimal =>
  (JSON.parse(String(booked)) as string[]).map((text) => decimal(text)).reduce(plus, ZERO);

function differenceOf(row: Row, theirs: FuturesOrder | undefined): string[] {
  const id = `${row.client_order_id} (${row.state}${row.reason === null ? '' : `: ${row.reason}`})`;
  const booked = bookedOf(row);
  const executed = theirs?.executed ?? ZERO;
  const faults: string[] = [];
  if (booked !== executed || decimal(String(row.executed_quantity)) !== executed)
    faults.push(`${id}: ${toText(booked)} is booked, ${accountOf(row)} has executed ${toText(executed)}`);
  if (theirs === undefined && ['filled', 'canceled'].includes(String(row.state)))
    faults.push(`${id} was never at ${accountOf(row)}`);
  if (theirs !== undefined && isOpen(theirs)) faults.push(`${id} is still open at ${accountOf(row)}`);
  return faults;
}

/** `ours` are rows of the journal or of `GET /positions`. */
export function positionFaults(ours: readonly Row[], venues: Venues): string[] {
  const held = [...venues].flatMap(([account, { market }]) =>
    market.account.heldPositions().map(({ symbol, quantity }) => inWords(account, symbol, quantity)),
  );
  const booked = ours.map((row) => `${accountOf(row)} ${row.market} ${row.side} ${row.quantity}`);
  const [here, there] = [booked.toSorted().join(', '), held.toSorted().join(', ')];
  return here === there ? [] : [`positions differ: we have ${here || 'none'}; the venues have ${there || 'none'}`];
}

const inWords = (account: string, symbol: string, quantity: Decimal): string =>
  `${account} ${symbol} ${quantity > 0n ? 'LONG' : 'SHORT'} ${toText(quantity).replace('-', '')}`;
