// Nothing lost, nothing twice, nothing out of order: the promise Signalbox stands on, tested on the real process while everything goes
// wrong that can. What senders were told is compared with what the journal says and with what the venues saw.
//
// `npm run chaos` does the same with a hundred thousand signals, `npm run soak` for as long as you like.

import { describe, expect, it } from 'vitest';
import { type ChaosRound, runRound } from '../support/chaos/chaos-round.ts';
import { chaosTable } from '../support/chaos/chaos-table.ts';

const SIGNALS = 300;
/** So many requests pass between two faults, more or less; each of a round comes at least once. */
const REQUESTS_PER_FAULT = 30;

/** Together they have every fault that there is. */
const ROUNDS: readonly Pick<ChaosRound, 'seed' | 'mode' | 'faults' | 'livePermille'>[] = [
  { seed: 11, mode: 'async', faults: ['kill -9', 'power cut', 'slow disk', 'answers lost', 'slow network'] },
  { seed: 12, mode: 'direct', faults: ['kill -9', 'power cut in a start', 'frozen process', 'connections cut'] },
  {
    ...{ seed: 13, mode: 'failover', livePermille: 50 },
    faults: ['venue fault', 'full disk', 'full disk, then kill -9', 'clock jump', 'ordinary restart'],
  },
];

describe('random signals while everything goes wrong that can', () => {
  it.concurrent.each(ROUNDS)(
    'are traded once, in order, or refused as their senders were told, in $mode mode',
    async (round) => {
      const run = { ...round, signals: SIGNALS, connections: 25, requestsPerFault: REQUESTS_PER_FAULT };
      const report = await runRound(run);
      expect([report.findings, report.findings.length === 0 ? [] : report.story]).toEqual([[], []]);
      // The run must have been a real one.
      expect([...report.faults.keys()].toSorted()).toEqual(round.faults?.toSorted());
      expect(report.filled).toBeGreaterThan(SIGNALS / 6);
      expect(report.requests).toBeGreaterThan(SIGNALS);
      if (round.livePermille !== undefined) expect(report.liveOrders).toBeGreaterThan(0);
      const table = chaosTable([report, report]).join('\n');
      expect(table).toMatch(new RegExp(`^signals +${2 * SIGNALS}$`, 'm'));
      expect(table).toMatch(/^lost +0\ndoubled +0\nout of order within a lane +0\nother differences +0$/m);
    },
  );
});
