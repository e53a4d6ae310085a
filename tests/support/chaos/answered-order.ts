// Whoever waits for an answer before the next signal goes out may rely on the order of the two: the first one is before the second in
// the journal. What was executed in the order of the journal is looked at elsewhere (nothing-lost.ts).

import type { DatabaseSync } from 'node:sqlite';
import { type Finding, finding } from '../nothing-lost.ts';
import type { TimedSignal } from '../senders.ts';

interface Arrival {
  readonly seq: number;
  readonly name: string;
  /** It cannot have arrived before it was sent for the first time. */
  readonly sentAtMs: number;
  /** It was there by then: a sender was told of this very trade. Infinite where nobody was. */
  readonly knownAtMs: number;
}

export function checkAnsweredOrder(db: DatabaseSync, sent: readonly TimedSignal[]): Finding[] {
  const requests = Map.groupBy(sent, ({ idempotencyKey }) => idempotencyKey);
  const trades = db
    .prepare(`SELECT seq, request_id, idempotency_key, exchange || ' ' || account || ' ' || market AS lane FROM trades
      WHERE idempotency_key IS NOT NULL ORDER BY seq`)
    .all();
  const findings: Finding[] = [];
  for (const [lane, rows] of Map.groupBy(trades, (trade) => String(trade.lane))) {
    const arrivals = rows.map((row): Arrival => {
      const tries = requests.get(String(row.idempotency_key)) ?? [];
      const told = tries.filter((each) => tellsOf(each, String(row.request_id)));
      return {
        ...{ seq: Number(row.seq), name: `${row.idempotency_key} (#${row.seq})` },
        sentAtMs: Math.min(...tries.map(({ sentAtMs }) => sentAtMs)),
        knownAtMs: Math.min(...told.map(({ answeredAtMs }) => answeredAtMs)),
      };
    });
    findings.push(...laneFindings(lane, arrivals));
  }
  return findings;
}

/** Also an answer that it is a duplicate: then the trade that it names had been there before. */
const tellsOf = ({ answer }: TimedSignal, requestId: string): boolean =>
  answer !== undefined && [answer.body.requestId, answer.body.originalRequestId].includes(requestId);

/** In the order of their sending: the latest in the journal of those that were known by then must be before the next one. */
function laneFindings(lane: string, arrivals: readonly Arrival[]): Finding[] {
  const known = arrivals.filter(({ knownAtMs }) => Number.isFinite(knownAtMs)).toSorted(by('knownAtMs'));
  let next = 0;
  let latest: Arrival | undefined;
  return arrivals
    .filter(({ sentAtMs }) => Number.isFinite(sentAtMs))
    .toSorted(by('sentAtMs'))
    .flatMap((arrival) => {
      for (let one = known[next]; one && one.knownAtMs < arrival.sentAtMs; one = known[++next])
        if (latest === undefined || one.seq > latest.seq) latest = one;
      if (latest === undefined || latest.seq < arrival.seq) return [];
      const words = `${lane}: ${latest.name} was answered before ${arrival.name} was sent, and is behind it in the journal`;
      return [finding('out of order', words)];
    });
}

const by =
  (time: 'sentAtMs' | 'knownAtMs') =>
  (a: Arrival, b: Arrival): number =>
    a[time] - b[time];
