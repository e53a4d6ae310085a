// The same promise of two processes over PostgreSQL and Redis: nothing lost, nothing twice, nothing out of order, while either of them
// dies, hands over or wakes too late, and their servers are killed, replaced and cut off. And that the harness would notice.
//
// `npm run chaos postgres` does the same with a hundred thousand signals and every fault.

import { describe, expect, it } from 'vitest';
import { runRound } from '../support/chaos/chaos-round.ts';
import { openPostgresForm } from '../support/chaos/postgres-form.ts';
import { drawSignal } from '../support/chaos/random-signals.ts';
import { Random } from '../support/random.ts';
import { sendAll } from '../support/senders.ts';

/**
 * Those that show most in the shortest time; the others come in the long run, and orders at venues, about which a new owner asks for a
 * minute. During the last round's fault senders go on, so that it has a round of its own.
 */
const ROUNDS = [
  {
    ...{ seed: 21, signals: 300 },
    faults: [
      'owner killed',
      'PostgreSQL fail-over',
      'connections to PostgreSQL cut',
      'answers of PostgreSQL lost',
      'connections to Redis cut',
      'clock jump',
      'kill switch',
    ],
  },
  { seed: 22, signals: 600, faults: ['lease taken away'] },
] as const;

const FEWEST_FILLED = 20;

describe('random signals to two processes while everything goes wrong that can', () => {
  it.concurrent.each(ROUNDS)(
    'are traded once, in order, or refused as their senders were told: seed $seed',
    async (round) => {
      const form = { mode: 'async', openForm: openPostgresForm } as const;
      const report = await runRound({ ...round, ...form, connections: 25, requestsPerFault: 30 });
      expect([report.findings, report.findings.length === 0 ? [] : report.story]).toEqual([[], []]);
      // The run must have been a real one; what is sent while nobody trades is refused, and on a busy machine that takes longer.
      expect([...report.faults.keys()].toSorted()).toEqual([...round.faults].toSorted());
      expect(report.filled).toBeGreaterThan(FEWEST_FILLED);
      // Where senders do not wait for a fault they may be done before it has taken hold.
      if (round.faults.length > 1) expect(report.requests).toBeGreaterThan(round.signals);
    },
  );
});

const API_KEY = `whk_${'p'.repeat(43)}`;
const NOTHING = { accounts: [], settings: {}, live: [] };
const FORGETFUL = ['synchronous_commit = off', "wal_writer_delay = '10s'", "wal_writer_flush_after = '1GB'"];

describe('the harness', () => {
  it('tells what both processes and PostgreSQL do, where nobody trades', async () => {
    const form = await openPostgresForm({ ...NOTHING, mode: 'async', apiKeys: [API_KEY], onStart: () => {} });
    try {
      await form.start();
      const told = await form.whyNobodyTrades();
      expect(told).toMatch(/"name":"desk".*"remaining":/);
      expect(told).toMatch(/"query":"/);
      expect(told.match(/it ran for \d+ ms and waited for a core for \d+ ms/g)).toHaveLength(2);
      // Whoever was looked at goes on.
      await form.comeToRest();
    } finally {
      await form.close();
    }
  });

  it('finds what a PostgreSQL loses that answers before its disk has it', async () => {
    let urls: readonly string[] = [];
    const onStart = (all: readonly string[]): void => {
      urls = all;
    };
    const form = await openPostgresForm({ ...NOTHING, mode: 'async', apiKeys: [API_KEY], onStart });
    try {
      await form.start();
      // Signalbox refuses such a server when it starts; this one forgets its duty later.
      for (const setting of FORGETFUL) await form.server.query(`ALTER SYSTEM SET ${setting}`);
      await form.server.query('SELECT pg_reload_conf()');
      const random = new Random(5);
      const sent = await sendAll({
        ...{ url: async () => random.of(urls as [string]), total: 100, connections: 10, onSent: () => {} },
        next: () => drawSignal({ random, apiKeys: [API_KEY], paper: ['binance'] }),
      });
      await form.server.kill();
      await form.server.restart({ synchronous_commit: 'on' });
      await form.comeToRest();
      const findings = await form.end(sent);
      expect(findings.filter(({ kind }) => kind === 'lost').length).toBeGreaterThan(10);
    } finally {
      await form.close();
    }
  });
});
