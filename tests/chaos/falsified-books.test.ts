// The proof is doubted: what one sender was told, and the journal of a sound run, are falsified in one thing after the other, and each
// time the harness must say what is wrong, by its name.

import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { compareJournal } from '../support/chaos/compare-journal.ts';
import { FALSIFIED, type Falsified } from '../support/chaos/falsified-journal.ts';
import type { Deployment } from '../support/chaos/form.ts';
import { BALANCE } from '../support/chaos/form-settings.ts';
import { openPostgresForm } from '../support/chaos/postgres-form.ts';
import { drawSignal } from '../support/chaos/random-signals.ts';
import { openSqliteForm } from '../support/chaos/sqlite-form.ts';
import { freshDataDir } from '../support/process.ts';
import { Random } from '../support/random.ts';
import { sendAll } from '../support/senders.ts';

const API_KEY = `whk_${'f'.repeat(43)}`;
const SIGNALS = 250;
/** Each after twice the time, from 30 ms on: half a minute in all. */
const RETRIES = 9;

type Run = Awaited<ReturnType<typeof soundRun>>;

/** One sender, who waits for each answer and sends again what was not taken, and nothing that goes wrong. */
async function soundRun(form: Deployment, urls: () => [string, ...string[]]) {
  const random = new Random(6);
  const source = { random, apiKeys: [API_KEY], paper: ['binance'], accounts: ['scalp'], hasStops: true } as const;
  await form.start();
  const sent = await sendAll({
    ...{ url: async () => random.of(urls()), total: SIGNALS, connections: 1, onSent: () => {} },
    next: () => drawSignal(source),
    // On a busy machine an owner may be late with its lease, and refuse everything for seconds.
    retries: () => RETRIES,
  });
  const taken = sent.filter(({ answer }) => answer?.status === 202).length;
  const answers = sent.map(({ answer }) => `${answer?.status} ${JSON.stringify(answer?.body)}`.slice(0, 200));
  expect(taken, `signals that were taken; the last answers: ${answers.slice(-3)}`).toBeGreaterThan(0.9 * SIGNALS);
  await form.comeToRest();
  // Of what is sound nothing is found; a signal that was never sent shows that somebody has looked.
  const answer = { status: 202, body: { requestId: 'never' } };
  const never = { body: '{}', idempotencyKey: 'never sent', answer, sentAtMs: 0, answeredAtMs: 0 };
  const found = await form.end([...sent, never]);
  expect(found.map(({ words }) => words)).toEqual(['never sent was acknowledged with 202 and is gone']);
  return { dataDir: form.dataDir, sent };
}

/** What is found about a copy of the run in which one thing is another one. */
function foundIn(run: Run, { name, sql = [], body, sent }: Falsified): string[] {
  const folder = freshDataDir();
  cpSync(join(run.dataDir, 'signalbox.db'), join(folder, 'signalbox.db'));
  const db = new DatabaseSync(join(folder, 'signalbox.db'));
  for (const statement of sql)
    expect(db.prepare(statement).run().changes, `${name}: rows of ${statement}`).toBeGreaterThan(0);
  db.close();
  const bodies = run.sent.map((signal) => {
    const read = JSON.parse(signal.body);
    return body === undefined ? signal : { ...signal, body: JSON.stringify({ ...read, ...body(read) }) };
  });
  const findings = compareJournal(folder, sent?.(bodies) ?? bodies, { live: [], balance: BALANCE });
  rmSync(folder, { recursive: true });
  return findings.map(({ words }) => words);
}

describe('the harness finds by its name whatever is falsified, and nothing in what is sound', () => {
  it.concurrent.each([
    ['one process over SQLite', openSqliteForm],
    ['two processes over PostgreSQL', openPostgresForm],
  ] as const)('of %s', async (_, openForm) => {
    let urls: readonly string[] = [];
    const onStart = (all: readonly string[]): void => {
      urls = all;
    };
    const nothing = { settings: {}, live: [] };
    const form = await openForm({ ...nothing, mode: 'async', apiKeys: [API_KEY], accounts: ['scalp'], onStart });
    try {
      const run = await soundRun(form, () => urls as [string, ...string[]]);
      for (const falsified of FALSIFIED) {
        const words = foundIn(run, falsified);
        if (falsified.found === undefined) expect(words, falsified.name).toEqual([]);
        for (const wanted of falsified.found ?? [])
          expect(words, falsified.name).toContainEqual(expect.stringMatching(wanted));
      }
    } finally {
      await form.close();
    }
  });
});
