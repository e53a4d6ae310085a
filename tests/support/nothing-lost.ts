// The promise, checked: what senders were told is compared with what the journal and the paper venue's books say, and what was
// executed with the order of acceptance.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Decimal, decimal, toText } from '../../src/trading/decimal.ts';
import { replay } from './as-if-in-order.ts';
import type { SentSignal } from './senders.ts';

const QUANTITIES: Readonly<Record<string, number>> = { BTCUSDT: 0.002, ETHUSDT: 0.05, SOLUSDT: 1, LTCUSDT: 2 };
/** An amount that every market takes; quantities are whole numbers of it. */
export const unitOf = (market: string): number => QUANTITIES[market] ?? 60;
const OUTCOMES = ['filled', 'rejected', 'canceled', 'expired'];

/** What is wrong: a signal is gone, was traded twice, came after a later one, or something is not as somebody was told. */
export interface Finding {
  readonly kind: 'lost' | 'doubled' | 'out of order' | 'other';
  readonly words: string;
}

const wordsOf = ({ words }: Finding): string => words;
export const finding = (kind: Finding['kind'], words: string): Finding => ({ kind, words });

type Row = Record<string, unknown>;

/** Waits until nothing is queued or under way. */
export async function allSettled(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const response = await fetch(`${url}/trades?status=Enqueued&limit=1`);
    const { result } = (await response.json()) as { result: unknown[] };
    if (result.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('trades are still queued after a minute');
}

export const compare = (dataDir: string, sent: readonly SentSignal[]): string[] =>
  checkSignals(dataDir, sent).map(wordsOf);

/** Reads the files themselves: what is on disk is what counts. `live` are exchanges whose books are not on paper. */
export function checkSignals(dataDir: string, sent: readonly SentSignal[], live: readonly string[] = []): Finding[] {
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'), { readOnly: true });
  const findings = [...checkAnswers(db, sent), ...checkPaperOrders(db, live)];
  const faults = [...comparePositions(db, live), ...compareFills(db, live)];
  db.close();
  return [...findings, ...faults.map((words) => finding('other', words))];
}

function checkAnswers(db: DatabaseSync, sent: readonly SentSignal[]): Finding[] {
  const trades = db.prepare('SELECT request_id, idempotency_key, state, executed_quantity, action FROM trades').all();
  const byKey = Map.groupBy(trades, (trade) => trade.idempotency_key as string);
  const findings: Finding[] = [];
  for (const key of new Set(sent.map(({ idempotencyKey }) => idempotencyKey))) {
    // One that came to nothing gives its key back (docs/decisions/0004).
    const traded = (byKey.get(key) ?? []).filter(
      ({ state, executed_quantity }) => state === 'filled' || executed_quantity !== '0',
    );
    if (traded.length > 1) findings.push(finding('doubled', `${key} was traded ${traded.length} times`));
  }
  for (const { answer, idempotencyKey } of sent) {
    if (!answer || answer.status >= 300) continue;
    const { unreadable } = answer.body;
    if (unreadable !== undefined) {
      findings.push(finding('other', `${idempotencyKey} was acknowledged with ${answer.status} by "${unreadable}"`));
      continue;
    }
    const row = byKey.get(idempotencyKey)?.find(({ request_id }) => request_id === answer.body.requestId);
    if (!row) findings.push(finding('lost', `${idempotencyKey} was acknowledged with ${answer.status} and is gone`));
    else if (!OUTCOMES.includes(row.state as string))
      findings.push(finding('lost', `${idempotencyKey} was acknowledged and ended as ${row.state}`));
    else if (answer.status === 200 && answer.body.tradeResult.status === 'Filled' && row.state !== 'filled')
      findings.push(finding('lost', `${idempotencyKey} was answered Filled and is ${row.state}`));
  }
  return findings;
}

function checkPaperOrders(db: DatabaseSync, live: readonly string[]): Finding[] {
  const findings: Finding[] = [];
  const count = (sql: string): number => Number(db.prepare(sql).get()?.n);
  const resubmitted = count('SELECT count(*) AS n FROM paper_orders WHERE submissions > 1');
  if (resubmitted > 0)
    findings.push(finding('doubled', `${resubmitted} client order ids reached the venue more than once`));
  const perTrade = count(`SELECT count(*) AS n FROM (SELECT substr(client_order_id, 1, 29) AS stem, count(*) AS c
    FROM paper_orders WHERE substr(client_order_id, 30) = 'o' OR substr(client_order_id, 30) = 'c' GROUP BY stem HAVING c > 1)`);
  if (perTrade > 0) findings.push(finding('doubled', `${perTrade} signals have more than one order at the venue`));
  const filled = count(`SELECT count(*) AS n FROM orders WHERE state = 'filled' AND ${isOnPaper(live)}`);
  const venueFilled = count("SELECT count(*) AS n FROM paper_orders WHERE status = 'filled'");
  if (filled !== venueFilled)
    findings.push(finding('other', `the journal has ${filled} filled orders, the venue ${venueFilled} filled orders`));
  const strangers = count(
    'SELECT count(*) AS n FROM paper_orders WHERE client_order_id NOT IN (SELECT client_order_id FROM orders)',
  );
  if (strangers > 0) findings.push(finding('doubled', `the venue has ${strangers} orders the journal does not know`));
  return findings;
}

/** As a condition over a table with a column for the exchange. */
export const isOnPaper = (live: readonly string[], column = 'exchange'): string =>
  `${column} NOT IN (${live.map((exchange) => `'${exchange}'`).join()})`;

/** Of a reversal the first order was executed, and the second was never placed. */
export const isHalfReversed = ({ state, error }: Row): boolean =>
  ['rejected', 'canceled', 'expired'].includes(String(state)) &&
  /the opposite position was closed, the new one was not opened/.test(String(error));

/** In direct mode a paper venue that could not write its books counts as unreachable: such a trade moves nothing, or half of a reversal. */
export const isUnreachable = (trade: Row): boolean =>
  trade.state === 'rejected' && /cannot be reached/.test(String(trade.error)) && !isHalfReversed(trade);

type IsWanted = (trade: Row) => boolean;

export const compareOrder = (dataDir: string, isWanted?: IsWanted): string[] =>
  checkOrder(dataDir, isWanted).map(wordsOf);

/**
 * Every market of every paper account: the venue got its orders in the order of acceptance, and every outcome is what that order
 * leads to. Only markets with market orders can be replayed, and trades that came to nothing for a reason of their own are left out.
 */
export function checkOrder(dataDir: string, isWanted: IsWanted = () => true): Finding[] {
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'), { readOnly: true });
  const trades = db.prepare('SELECT * FROM trades ORDER BY seq').all().filter(isWanted);
  const lanes = Map.groupBy(trades, ({ exchange, account, market }) => `${exchange} ${account} ${market}`);
  const faults = [...lanes].flatMap(([lane, rows]) => laneFaults(db, lane, rows));
  db.close();
  return faults;
}

function laneFaults(db: DatabaseSync, lane: string, rows: readonly Row[]): Finding[] {
  const place = lane.split(' ') as [string, string, string];
  const units = (text: unknown): number => Math.round(Number(text) / unitOf(place[2]));
  const replayed = rows.map((row) => ({
    name: `${lane} #${row.seq}${row.error === null ? '' : ` (${row.error})`}`,
    action: row.action as string,
    quantity: units(row.quantity),
    strategy: row.strategy as string,
    state: row.state as string,
    executedQuantity: units(row.executed_quantity),
    isHalfReversed: isHalfReversed(row),
  }));
  const { faults, position, shares } = replay(replayed);
  const held = db.prepare(
    'SELECT side, quantity FROM paper_positions WHERE exchange = ? AND account = ? AND market = ?',
  );
  const theirs = held.all(...place).map(({ side, quantity }) => `${side} ${units(quantity)}`);
  const sent = db
    .prepare(`SELECT trade_seq FROM orders JOIN paper_orders USING (client_order_id, exchange, account)
      WHERE orders.exchange = ? AND orders.account = ? AND orders.market = ? ORDER BY length(paper_orders.order_id), paper_orders.order_id`)
    .all(...place)
    .map((row) => Number(row.trade_seq));
  const late = sent.filter((seq, index) => index > 0 && seq < (sent[index - 1] as number));
  const disorder = [
    ...faults,
    ...(theirs.join() === position
      ? []
      : [`${lane}: in order the position is "${position}", the venue has "${theirs}"`]),
    ...(late.length === 0 ? [] : [`${lane}: ${late.length} orders reached the venue after later ones: ${late}`]),
  ];
  return [...disorder.map((words) => finding('out of order', words)), ...shareFindings(db, lane, { shares, units })];
}

interface ReplayedShares {
  /** What each strategy holds in the end, long positive. */
  readonly shares: ReadonlyMap<string, number>;
  readonly units: (text: unknown) => number;
}

/** What each strategy holds of the position. A market in which no strategy has a name is not divided, and has no books. */
function shareFindings(db: DatabaseSync, lane: string, { shares, units }: ReplayedShares): Finding[] {
  const books = db
    .prepare(
      `SELECT strategy, side, quantity FROM strategy_books WHERE exchange || ' ' || account || ' ' || market = ?`,
    )
    .all(lane);
  if (books.length === 0 && [...shares].every(([strategy, held]) => strategy === '' || held === 0)) return [];
  const booked = new Map<string, number>();
  for (const { strategy, side, quantity } of books) {
    const held = side === 'LONG' ? units(quantity) : -units(quantity);
    booked.set(String(strategy), (booked.get(String(strategy)) ?? 0) + held);
  }
  return [...new Set([...shares.keys(), ...booked.keys()])]
    .filter((strategy) => (shares.get(strategy) ?? 0) !== (booked.get(strategy) ?? 0))
    .map((strategy) => {
      const [wanted, found] = [shares.get(strategy) ?? 0, booked.get(strategy) ?? 0];
      return finding('other', `${lane}: in order the share of "${strategy}" is ${wanted}, and its book has ${found}`);
    });
}

/** Our books come from fills, the venue's from its own: they must say the same. */
function comparePositions(db: DatabaseSync, live: readonly string[]): string[] {
  const name = "exchange || ':' || account || ':' || market || ':' || side AS k";
  const ours = db
    .prepare(`SELECT ${name}, quantity FROM positions WHERE quantity != '0' AND ${isOnPaper(live)} ORDER BY k`)
    .all();
  const theirs = db.prepare(`SELECT ${name}, quantity FROM paper_positions ORDER BY k`).all();
  const [a, b] = [JSON.stringify(ours), JSON.stringify(theirs)];
  return a === b ? [] : [`positions differ: ours ${a}, the venue's ${b}`];
}

/**
 * A start takes the venue's word for a position that differs, so equal positions alone would not show a lost fill. Nobody
 * but us trades on the paper venue: nothing may ever have been adopted, and the fills alone must lead to the positions.
 */
function compareFills(db: DatabaseSync, live: readonly string[]): string[] {
  const adopted = db.prepare("SELECT detail FROM events WHERE kind = 'position-adopted'").all();
  const faults = adopted.map(({ detail }) => `a start found our books wrong: ${detail}`);
  const theirs = new Map(
    db
      .prepare('SELECT client_order_id AS id, executed_quantity AS executed FROM paper_orders')
      .all()
      .map(idAndExecuted),
  );
  const booked = new Map<string, bigint>();
  for (const { id, position, opens, quantities } of db.prepare(`${FILLS_OF_ORDERS} WHERE ${isOnPaper(live)}`).all()) {
    const filled = (JSON.parse(quantities as string) as string[]).reduce((sum, text) => sum + decimal(text), 0n);
    const executed = theirs.get(id as string) ?? 0n;
    if (filled !== executed)
      faults.push(`${id}: our fills are ${inText(filled)}, the venue executed ${inText(executed)}`);
    const before = booked.get(position as string) ?? 0n;
    booked.set(position as string, opens === 1 ? before + filled : before - filled);
  }
  const positions = db
    .prepare(`SELECT exchange || ' ' || account || ' ' || market || ' ' || side AS position, quantity FROM positions
      WHERE ${isOnPaper(live)}`)
    .all();
  for (const { position, quantity } of positions) {
    const sum = inText(booked.get(position as string) ?? 0n);
    if (sum !== quantity) faults.push(`${position}: the fills come to ${sum}, our position is ${quantity}`);
  }
  return faults;
}

const FILLS_OF_ORDERS = `SELECT client_order_id AS id,
  exchange || ' ' || account || ' ' || market || ' ' || position_side AS position,
  (side = 'BUY') = (position_side = 'LONG') AS opens,
  (SELECT json_group_array(quantity) FROM fills WHERE fills.trade_seq = orders.trade_seq
    AND fills.client_order_id = orders.client_order_id) AS quantities
  FROM orders`;
const idAndExecuted = (row: Record<string, unknown>): [string, bigint] => [
  row.id as string,
  decimal(row.executed as string),
];
const inText = (quantity: bigint): string => toText(quantity as Decimal);
