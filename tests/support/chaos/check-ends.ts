// How every trade ended, and whether that end can be explained. A signal that was taken may expire where a clock jumped, be canceled
// where a kill switch was on, and come to nothing where its venue says so: whatever else keeps it from its venue is a finding, also
// where journal, venue and senders agree about it.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Finding, finding, isHalfReversed, isUnreachable } from '../nothing-lost.ts';
import type { TimedSignal } from '../senders.ts';
import type { ClockHistory, ReadTime } from './clock-history.ts';
import { MAX_AGE_S } from './form-settings.ts';
import type { SwitchHistory } from './switch-history.ts';

/** What happened that may explain an end. */
export interface Explanations {
  readonly clocks: ClockHistory;
  readonly switches: SwitchHistory;
  /** Exchanges that are not on paper: whatever ended there is compared with the venue itself. */
  readonly live: readonly string[];
}

type Row = Readonly<Record<string, unknown>>;

/** A clock that was set back puts a signal of the last process into its future. */
const AHEAD_MS = 1000;
/** Between what our clock says and what the one of a process says at the same moment. */
const TOLERANCE_MS = 1000;

const TRADES = `SELECT trades.*,
    (SELECT count(*) FROM orders WHERE trade_seq = seq AND orders.state IN ('expired', 'canceled')) AS ended_orders,
    (SELECT max(at) FROM events WHERE trade_seq = seq AND kind = trades.state) AS ended_at
  FROM trades WHERE idempotency_key IS NOT NULL`;

/** How so many signals ended of which a sender was told that they are taken. */
export type Ends = ReadonlyMap<string, number>;

export interface CheckedEnds {
  readonly findings: readonly Finding[];
  readonly ends: Ends;
}

export function checkEnds(dataDir: string, sent: readonly TimedSignal[], explanations: Explanations): CheckedEnds {
  const db = new DatabaseSync(join(dataDir, 'signalbox.db'), { readOnly: true });
  const trades: Row[] = db.prepare(TRADES).all();
  db.close();
  const requests = Map.groupBy(sent, ({ idempotencyKey }) => idempotencyKey);
  const findings: Finding[] = [];
  const ends = new Map<string, number>();
  for (const trade of trades) {
    const tries = requests.get(String(trade.idempotency_key)) ?? [];
    const isAcknowledged = tries.some(
      ({ answer }) => answer && answer.status < 300 && answer.body.requestId === trade.request_id,
    );
    const sentAtMs = Math.min(...tries.map((each) => each.sentAtMs));
    const fault = faultOf(trade, sentAtMs, isAcknowledged, explanations);
    if (fault !== undefined) findings.push(finding('lost', fault));
    if (!isAcknowledged) continue;
    const end = isHalfReversed(trade) ? 'half of a reversal' : String(trade.state);
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  return { findings, ends };
}

/** In words, where nothing explains how a trade ended. */
function faultOf(trade: Row, sentAtMs: number, isTaken: boolean, explanations: Explanations): string | undefined {
  const { state, error } = trade;
  const name = `${trade.idempotency_key}${isTaken ? ', which was acknowledged,' : ''}`;
  // What a venue has ended, or has never seen, is compared with the venue.
  if (explanations.live.includes(String(trade.exchange)) && Number(trade.ended_orders) > 0) return undefined;
  if (state === 'expired' && !isTooOld(trade, sentAtMs, explanations.clocks))
    return `${name} expired (${error}), and no clock that jumped explains it: ${timesOf(trade, sentAtMs)}`;
  if (state === 'canceled' && !isKilled(trade, sentAtMs, explanations))
    return `${name} was canceled (${error}), and no kill switch explains it: ${timesOf(trade, sentAtMs)}`;
  return isTaken && isUnreachable(trade) ? `${name} came to nothing: ${error}` : undefined;
}

/** The times of the journal are those of a clock that was in force, and by them it was too old, or of the future. */
function isTooOld(trade: Row, sentAtMs: number, clocks: ClockHistory): boolean {
  const [receivedMs, endedMs] = [Number(trade.received_at), Number(trade.ended_at)];
  const ageMs = endedMs - receivedMs;
  if (ageMs <= MAX_AGE_S * 1000 && ageMs >= -AHEAD_MS) return false;
  return endsOf(trade, sentAtMs, clocks).some(({ received, ended }) => received.offMs !== ended.offMs);
}

function isKilled(trade: Row, sentAtMs: number, { clocks, switches }: Explanations): boolean {
  const isEntry = !String(trade.action).startsWith('CLOSE_');
  const isMeant = ({ ended }: { readonly ended: ReadTime }) => switches.mayStopAt(ended.realMs, isEntry);
  return /kill switch/.test(String(trade.error)) && endsOf(trade, sentAtMs, clocks).some(isMeant);
}

/** Every way to read the two times of a trade, in which it was received after it was sent, and ended after that. */
function endsOf(trade: Row, sentAtMs: number, clocks: ClockHistory) {
  const all = clocks.readAt(Number(trade.ended_at));
  return clocks
    .readAt(Number(trade.received_at))
    .filter(({ realMs }) => realMs >= sentAtMs - TOLERANCE_MS)
    .flatMap((received) => all.map((ended) => ({ received, ended })))
    .filter(({ received, ended }) => ended.realMs >= received.realMs - TOLERANCE_MS);
}

const timesOf = ({ received_at, ended_at }: Row, sentAtMs: number): string =>
  `sent at ${sentAtMs}, received at ${received_at}, ended at ${ended_at}`;
