// Where stops stand, beside what was asked for: whatever the strategy holds whose entries all have a stop is guarded, at the distance
// that the last of its entries has asked for from the price at which that one filled.

import type { DatabaseSync } from 'node:sqlite';
import { type Decimal, decimal, toText } from '../../../src/trading/decimal.ts';
import { type Finding, finding } from '../nothing-lost.ts';
import type { SentSignal } from '../senders.ts';
import { averageOf, executionsOf, paperFills } from './booked-fills.ts';
import { GUARDED } from './random-signals.ts';

type Row = Readonly<Record<string, unknown>>;

const PLACE = "exchange || ' ' || account || ' ' || market || ' ' ||";
const NAKED = `SELECT ${PLACE} side AS place, quantity FROM strategy_books
  WHERE strategy = '${GUARDED}' AND quantity != '0' AND ${PLACE} side NOT IN
    (SELECT ${PLACE} side FROM protections WHERE strategy = '${GUARDED}' AND stop_loss IS NOT NULL)`;
const STOPS = `SELECT ${PLACE} side AS place, side, stop_loss, origin FROM protections WHERE strategy = '${GUARDED}'`;
const ENTRIES = `SELECT seq, request_id, idempotency_key, ${PLACE} action AS place FROM trades
  WHERE strategy = '${GUARDED}' AND action IN ('LONG', 'SHORT') ORDER BY seq`;
/** Average, distance and level are cut or rounded to the twelfth place, each once. */
const TOLERANCE = 3n;

export function checkStops(db: DatabaseSync, sent: readonly SentSignal[], live: readonly string[]): Finding[] {
  const naked = db.prepare(NAKED).all();
  return [
    ...naked.map(({ place, quantity }) => finding('lost', `${quantity} at ${place} has lost its stop`)),
    ...levelFindings(db, sent, live),
  ];
}

function levelFindings(db: DatabaseSync, sent: readonly SentSignal[], live: readonly string[]): Finding[] {
  const executions = executionsOf(paperFills(db, live));
  const percents = new Map(
    sent.map(({ idempotencyKey, body }) => [idempotencyKey, JSON.parse(body).stopLoss?.percent as number | undefined]),
  );
  const filled = db
    .prepare(ENTRIES)
    .all()
    .filter(({ seq }) => (executions.get(Number(seq))?.quantity ?? 0n) > 0n);
  const last = new Map<unknown, Row>(filled.map((entry) => [entry.place, entry]));
  return db
    .prepare(STOPS)
    .all()
    .flatMap(({ place, side, stop_loss, origin }) => {
      const entry = last.get(place);
      if (entry === undefined) return [finding('other', `the stop at ${place} guards what no entry has bought`)];
      if (origin !== entry.request_id)
        return [
          finding('other', `the stop at ${place} is that of ${origin}, and the last entry was ${entry.request_id}`),
        ];
      const percent = percents.get(String(entry.idempotency_key));
      const execution = executions.get(Number(entry.seq));
      if (percent === undefined || execution === undefined || stop_loss === null)
        return [finding('other', `the stop at ${place} is ${stop_loss}, and ${percent} % were asked for`)];
      const price = averageOf(execution);
      const distance = (price * decimal(percent)) / decimal(100);
      const level = side === 'LONG' ? price - distance : price + distance;
      const off = level - decimal(String(stop_loss));
      if (off <= TOLERANCE && off >= -TOLERANCE) return [];
      const asked = `${percent} % from ${toText(price as Decimal)} is ${toText(level as Decimal)}`;
      return [finding('other', `the stop level at ${place} is ${stop_loss}, and ${asked}`)];
    });
}
