// The promise, measured: kill -9 a real process again and again under load, then compare what was acknowledged with
// what the journal and the venue's books say, and what was executed with the order of acceptance.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Decimal, decimal, toText } from '../../src/trading/decimal.ts';
import { replay } from './as-if-in-order.ts';
import { prepareDiskFaults } from './disk-faults/index.ts';
import { freshDataDir, type RunningProcess, startGatewayProcess } from './process.ts';
import { type SentSignal, sendAll } from './senders.ts';

const MARKETS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT', 'DOGEUSDT', 'ADAUSDT', 'LINKUSDT', 'LTCUSDT'];
const QUANTITIES: Readonly<Record<string, number>> = { BTCUSDT: 0.002, ETHUSDT: 0.05, SOLUSDT: 1, LTCUSDT: 2 };
/** An amount that every market takes; quantities are whole numbers of it. */
export const unitOf = (market: string): number => QUANTITIES[market] ?? 60;
/** Closes of what is not held are refused without an order; they are what a crash may bring out of order. */
const ACTIONS = ['LONG', 'CLOSE_LONG', 'CLOSE_SHORT', 'SHORT', 'CLOSE_LONG', 'CLOSE_SHORT'];
const OUTCOMES = ['filled', 'rejected', 'canceled', 'expired'];

export interface KillRun {
  readonly mode: 'direct' | 'async' | 'failover';
  readonly signals: number;
  readonly connections: number;
  readonly kills: number;
  /** How much longer every sync of the disk takes after so many kills. */
  readonly syncDelayMs?: (kills: number) => number;
}

export interface KillReport {
  readonly kills: number;
  readonly sent: readonly SentSignal[];
  readonly acknowledged: number;
  readonly unanswered: number;
  readonly faults: readonly string[];
}

export async function killAgainAndAgain(run: KillRun): Promise<KillReport> {
  const dataDir = freshDataDir();
  const disk = run.syncDelayMs === undefined ? undefined : await prepareDiskFaults(dataDir);
  const env = {
    ...disk?.env,
    QUEUE_MODE: run.mode,
    WEBHOOK_RATE_PER_MINUTE: '0',
    PAPER_BALANCE: '1000000000',
    WEBHOOK_API_KEYS: `whk_${'k'.repeat(43)}`,
    LOG_LEVEL: 'error',
    // A restart must not be late: what is acknowledged has to be executed, not expired.
    SIGNAL_MAX_AGE_S: '600',
  };
  let kills = 0;
  const start = (): Promise<RunningProcess> => {
    disk?.delaySyncs(run.syncDelayMs?.(kills) ?? 0);
    return startGatewayProcess({ dataDir, env });
  };
  let current = await start();
  let ready: Promise<RunningProcess> = Promise.resolve(current);

  const killAndRestart = async (): Promise<RunningProcess> => {
    await current.kill();
    kills++;
    current = await start();
    return current;
  };
  // Between two kills a random number of answers passes, so that a kill meets every step of a signal's way.
  const perKill = Math.floor(run.signals / (run.kills + 1));
  let nextKillAt = 1 + Math.floor(Math.random() * perKill);
  let restarting = false;
  const onSent = (count: number): void => {
    if (restarting || kills >= run.kills || count < nextKillAt) return;
    restarting = true;
    nextKillAt = count + 1 + Math.floor(Math.random() * perKill * 1.5);
    ready = new Promise<void>((resolve) => setTimeout(resolve, Math.random() * 8)).then(killAndRestart).finally(() => {
      restarting = false;
    });
  };

  const next = (index: number) => randomSignal(index, env.WEBHOOK_API_KEYS);
  const url = async (): Promise<string> => (await ready).url;
  const sent = await sendAll({ url, total: run.signals, connections: run.connections, next, onSent });
  await ready;
  while (kills < run.kills) await killAndRestart();
  await allSettled(current.url);
  const stopped = await current.stop();
  disk?.close();
  const faults = [
    ...compare(dataDir, sent),
    ...compareOrder(dataDir),
    ...(stopped === 0 ? [] : [`SIGTERM ended with code ${stopped}`]),
  ];
  const acknowledged = sent.filter(({ answer }) => answer && answer.status < 300).length;
  return { kills, sent, acknowledged, unanswered: sent.filter(({ answer }) => !answer).length, faults };
}

/** One of any kind, in the markets by turns. */
export function randomSignal(index: number, apiKey: string): { body: string; idempotencyKey: string } {
  const idempotencyKey = randomUUID();
  const symbol = MARKETS[index % MARKETS.length] as string;
  const action = ACTIONS[Math.floor(Math.random() * ACTIONS.length)];
  const quantity = unitOf(symbol) * (1 + Math.floor(Math.random() * 3));
  const body = JSON.stringify({ apiKey, exchange: 'binance', action, symbol, quantity, idempotencyKey });
  return { body, idempotencyKey };
}

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

/** Reads the files themselves: what is on disk is what counts. */
export function compare(dataDir: string, sent: readonly SentSignal[]): string[] {
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'), { readOnly: true });
  const faults: string[] = [];
  const trades = db.prepare('SELECT request_id, idempotency_key, state, executed_quantity, action FROM trades').all();
  const byKey = Map.groupBy(trades, (trade) => trade.idempotency_key as string);
  for (const { answer, idempotencyKey } of sent) {
    const rows = byKey.get(idempotencyKey) ?? [];
    if (rows.length > 1) faults.push(`${idempotencyKey} was accepted ${rows.length} times`);
    if (!answer || answer.status >= 300) continue;
    const [row] = rows;
    if (!row) faults.push(`${idempotencyKey} was acknowledged with ${answer.status} and is gone`);
    else if (!OUTCOMES.includes(row.state as string))
      faults.push(`${idempotencyKey} was acknowledged and ended as ${row.state}`);
    else if (answer.status === 200 && answer.body.tradeResult.status === 'Filled' && row.state !== 'filled') {
      faults.push(`${idempotencyKey} was answered Filled and is ${row.state}`);
    }
  }
  const count = (sql: string): number => Number(db.prepare(sql).get()?.n);
  const resubmitted = count('SELECT count(*) AS n FROM paper_orders WHERE submissions > 1');
  if (resubmitted > 0) faults.push(`${resubmitted} client order ids reached the venue more than once`);
  const perTrade = count(`SELECT count(*) AS n FROM (SELECT substr(client_order_id, 1, 29) AS stem, count(*) AS c
    FROM paper_orders WHERE substr(client_order_id, 30) = 'o' OR substr(client_order_id, 30) = 'c' GROUP BY stem HAVING c > 1)`);
  if (perTrade > 0) faults.push(`${perTrade} signals have more than one order at the venue`);
  const filled = count("SELECT count(*) AS n FROM orders WHERE state = 'filled'");
  const venueFilled = count("SELECT count(*) AS n FROM paper_orders WHERE status = 'filled'");
  if (filled !== venueFilled)
    faults.push(`the journal has ${filled} filled orders, the venue ${venueFilled} filled orders`);
  const strangers = count(
    'SELECT count(*) AS n FROM paper_orders WHERE client_order_id NOT IN (SELECT client_order_id FROM orders)',
  );
  if (strangers > 0) faults.push(`the venue has ${strangers} orders the journal does not know`);
  faults.push(...comparePositions(db), ...compareFills(db));
  db.close();
  return faults;
}

/**
 * Every market: the venue got its orders in the order of acceptance, and every outcome is what that order leads to. Only
 * markets with market orders can be replayed, and trades that came to nothing for a reason of their own are left out.
 */
export function compareOrder(
  dataDir: string,
  wanted: (trade: Record<string, unknown>) => boolean = () => true,
): string[] {
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'), { readOnly: true });
  const faults: string[] = [];
  const trades = db.prepare('SELECT * FROM trades ORDER BY seq').all().filter(wanted);
  for (const [market, rows] of Map.groupBy(trades, (trade) => trade.market as string)) {
    const units = (text: unknown): number => Math.round(Number(text) / unitOf(market));
    const replayed = rows.map((row) => ({
      name: `${market} #${row.seq}${row.error === null ? '' : ` (${row.error})`}`,
      action: row.action as string,
      quantity: units(row.quantity),
      state: row.state as string,
      executedQuantity: units(row.executed_quantity),
    }));
    const { faults: found, position } = replay(replayed);
    faults.push(...found);
    const held = db.prepare("SELECT side, quantity FROM paper_positions WHERE exchange = 'binance' AND market = ?");
    const theirs = held.all(market).map(({ side, quantity }) => `${side} ${units(quantity)}`);
    if (theirs.join() !== position)
      faults.push(`${market}: in order the position is "${position}", the venue has "${theirs}"`);
    const sent = db
      .prepare(`SELECT trade_seq FROM orders JOIN paper_orders USING (client_order_id) WHERE orders.market = ?
        ORDER BY paper_orders.order_id`)
      .all(market)
      .map((row) => Number(row.trade_seq));
    const late = sent.filter((seq, index) => index > 0 && seq < (sent[index - 1] as number));
    if (late.length > 0) faults.push(`${market}: ${late.length} orders reached the venue after later ones: ${late}`);
  }
  db.close();
  return faults;
}

/** Our books come from fills, the venue's from its own: they must say the same. */
function comparePositions(db: DatabaseSync): string[] {
  const name = "exchange || ':' || account || ':' || market || ':' || side AS k";
  const ours = db.prepare(`SELECT ${name}, quantity FROM positions WHERE quantity != '0' ORDER BY k`).all();
  const theirs = db.prepare(`SELECT ${name}, quantity FROM paper_positions ORDER BY k`).all();
  const [a, b] = [JSON.stringify(ours), JSON.stringify(theirs)];
  return a === b ? [] : [`positions differ: ours ${a}, the venue's ${b}`];
}

/**
 * A start takes the venue's word for a position that differs, so equal positions alone would not show a lost fill. Nobody
 * but us trades on the paper venue: nothing may ever have been adopted, and the fills alone must lead to the positions.
 */
function compareFills(db: DatabaseSync): string[] {
  const adopted = db.prepare("SELECT detail FROM events WHERE kind = 'position-adopted'").all();
  const faults = adopted.map(({ detail }) => `a start found our books wrong: ${detail}`);
  const theirs = new Map(
    db
      .prepare('SELECT client_order_id AS id, executed_quantity AS executed FROM paper_orders')
      .all()
      .map(idAndExecuted),
  );
  const booked = new Map<string, bigint>();
  for (const { id, position, opens, quantities } of db.prepare(FILLS_OF_ORDERS).all()) {
    const filled = (JSON.parse(quantities as string) as string[]).reduce((sum, text) => sum + decimal(text), 0n);
    const executed = theirs.get(id as string) ?? 0n;
    if (filled !== executed)
      faults.push(`${id}: our fills are ${inText(filled)}, the venue executed ${inText(executed)}`);
    const before = booked.get(position as string) ?? 0n;
    booked.set(position as string, opens === 1 ? before + filled : before - filled);
  }
  const positions = db
    .prepare(`SELECT exchange || ' ' || account || ' ' || market || ' ' || side AS position, quantity FROM positions`)
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
