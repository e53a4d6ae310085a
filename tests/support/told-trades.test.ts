// How the end of a trade may stand in its history: once, or in the words of the order that ended it.

import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { checkTold } from './chaos/told-trades.ts';

interface Told {
  readonly state: string;
  readonly orders: readonly (readonly [leg: string, state: string])[];
  readonly events: readonly (readonly [kind: string, detail?: string])[];
}

/** Of a journal with this trade, of which the desk and the list of signals have been told as it should be. */
function findingsOf({ state, orders, events }: Told): string[] {
  const db = new DatabaseSync(':memory:');
  db.exec(`CREATE TABLE trades (seq, request_id, state, action, symbol);
    CREATE TABLE orders (trade_seq, leg, state, fills);
    CREATE TABLE events (trade_seq, kind, detail);
    CREATE TABLE desk_events (seq INTEGER PRIMARY KEY, trade_seq, kind, facts);
    CREATE TABLE trade_signals (seq INTEGER PRIMARY KEY, signal_id, decision, signal_type, symbol);
    CREATE TABLE outbox (id);
    INSERT INTO trades VALUES (1, 'r', '${state}', 'LONG', 'BTCUSDT');
    INSERT INTO desk_events (trade_seq, kind) VALUES (1, 'accepted'), (1, '${state}');
    INSERT INTO trade_signals (signal_id, decision, signal_type, symbol) VALUES ('r', 'accepted', 'LONG', 'BTCUSDT')`);
  for (const order of orders) db.prepare('INSERT INTO orders VALUES (1, ?, ?, NULL)').run(...order);
  for (const [kind, detail = ''] of [['accepted'] as const, ...events])
    db.prepare('INSERT INTO events VALUES (1, ?, ?)').run(kind, detail);
  return checkTold(db).map(({ kind, words }) => `${kind}: ${words.replace(/: \{.*/, '')}`);
}

const NOTHING_MORE = 'nothing more was closed: our books have nothing more of it';

test.each<[what: string, told: Told]>([
  ['a refusal', { state: 'rejected', orders: [], events: [['rejected']] }],
  [
    'a reversal of two orders',
    {
      state: 'filled',
      orders: [
        ['flatten', 'filled'],
        ['open', 'filled'],
      ],
      events: [['filled'], ['filled']],
    },
  ],
  [
    'a reversal whose first order filled too late for the second',
    { state: 'rejected', orders: [['flatten', 'filled']], events: [['unknown'], ['filled']] },
  ],
  [
    'an exit for whose rest nothing was sent',
    { state: 'filled', orders: [['close', 'filled']], events: [['filled'], ['filled', NOTHING_MORE]] },
  ],
])('of %s nothing is found', (_, told) => {
  expect(findingsOf(told)).toEqual([]);
});

test.each<[what: string, told: Told, found: string]>([
  [
    'a refusal that is not told',
    { state: 'rejected', orders: [['open', 'rejected']], events: [] },
    'lost: the history of trade 1 has its end as rejected 0 times in place of 1',
  ],
  [
    'a reversal whose end is not told',
    { state: 'rejected', orders: [['flatten', 'filled']], events: [['unknown']] },
    'lost: the history of trade 1 has its end as rejected 0 times in place of 1',
  ],
  [
    'a fill that is told twice',
    { state: 'filled', orders: [['open', 'filled']], events: [['filled'], ['filled']] },
    'doubled: the history of trade 1 has its end as filled 2 times in place of 1',
  ],
])('%s is found', (_, told, found) => {
  expect(findingsOf(told)).toEqual([found]);
});
