// Nothing lost, nothing twice, nothing out of order: the promise Signalbox stands on, tested on the real process while everything goes
// wrong that can. What senders were told is compared with what the journal says and with what the venues saw.
//
// `npm run chaos` does the same with a hundred thousand signals, `npm run soak` for as long as you like.

import { describe, expect, it } from 'vitest';
import { type ChaosRound, runRound } from '../support/chaos/chaos-round.ts';
import { chaosTable } from '../support/chaos/chaos-table.ts';
import { checkEnds } from '../support/chaos/check-ends.ts';
import { ClockHistory } from '../support/chaos/clock-history.ts';
import { compareJournal } from '../support/chaos/compare-journal.ts';
import { drawSignal } from '../support/chaos/random-signals.ts';
import { SwitchHistory } from '../support/chaos/switch-history.ts';
import { MAIN } from '../support/loaded-files.ts';
import { allSettled } from '../support/nothing-lost.ts';
import { startGatewayProcess } from '../support/process.ts';
import { Random } from '../support/random.ts';
import { sendAll } from '../support/senders.ts';
import { brokenBy } from '../support/venue-chaos/broken-product.ts';

const SIGNALS = 300;
/** So many requests pass between two faults, more or less; each of a round comes at least once. */
const REQUESTS_PER_FAULT = 30;

/** Together they have every fault that there is. */
const ROUNDS: readonly Pick<ChaosRound, 'seed' | 'mode' | 'faults' | 'livePermille'>[] = [
  { seed: 11, mode: 'async', faults: ['kill -9', 'power cut', 'slow disk', 'answers lost', 'slow network'] },
  {
    seed: 12,
    mode: 'direct',
    faults: ['kill -9', 'power cut in a start', 'frozen process', 'connections cut', 'kill switch'],
  },
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
      expect(table).toMatch(/^ {2}ended as filled +[1-9]/m);
      expect(table).toMatch(/^lost +0\ndoubled +0\nout of order within a lane +0\nother differences +0$/m);
    },
  );
});

const API_KEY = `whk_${'e'.repeat(43)}`;

it('the harness finds signals that are acknowledged and come to nothing with a reason that is not true', async () => {
  const ways = brokenBy(['every tenth signal expires', 'every tenth signal is canceled']);
  const env = { ...ways, WEBHOOK_API_KEYS: API_KEY, WEBHOOK_RATE_PER_MINUTE: '0', QUEUE_MODE: 'async' };
  const broken = await startGatewayProcess({ env, program: MAIN });
  const random = new Random(6);
  const sent = await sendAll({
    ...{ url: async () => broken.url, total: 60, connections: 5, onSent: () => {} },
    next: () => drawSignal({ random, apiKeys: [API_KEY], paper: ['binance'] }),
  });
  await allSettled(broken.url);
  await broken.stop();
  // Whoever compares what was told with what is written finds nothing wrong about it.
  expect(compareJournal(broken.dataDir, sent, { live: [], balance: '100000' })).toEqual([]);
  const [clocks, switches] = [new ClockHistory([]), new SwitchHistory()];
  const { findings, ends } = checkEnds(broken.dataDir, sent, { clocks, switches, live: [] });
  const wordsOf = (end: string): string[] =>
    findings.filter(({ kind, words }) => kind === 'lost' && words.includes(`acknowledged, ${end}`)).map(String);
  expect([wordsOf('expired').length, wordsOf('was canceled').length, findings.length]).toEqual([6, 6, 12]);
  expect([ends.get('expired'), ends.get('canceled')]).toEqual([6, 6]);
});
