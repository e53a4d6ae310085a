// Floods of strangers, and everybody else at the same time: each class of callers has its own threads and places, so that
// keys and editors are served at once. Told by turns, not by the clock: every run ends when the test says so.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openScriptPool } from '../../src/composition/script-pool.ts';
import type { Sent } from '../../src/services/analysis/testing/analysis-app.ts';
import { openHeldRuns } from './held-runs.ts';
import { bearer, type KeyApp, openKeyApp } from './key-app.ts';

const DATA = [{ time: 60, open: 1, high: 1, low: 1, close: 1 }];
/** Of the 64 places strangers have half, and one of them half of that; one more runs. */
const PLACES = 32;
const PLACES_OF_ONE = 16;

let pool: ReturnType<typeof openScriptPool>;
let app: KeyApp;
let key: string;
let runs: ReturnType<typeof openHeldRuns>;
beforeEach(async () => {
  runs = openHeldRuns();
  // As on a machine of two cores.
  pool = openScriptPool({ size: 2, thread: new URL('./held-thread.ts', import.meta.url), maxWaitMs: 250_000 });
  app = await openKeyApp('sqlite', { script: pool });
  key = await app.keyWith('pro');
});
afterEach(async () => {
  await pool.close();
  runs.close();
});

const run = (script: string, peer: string) => app.post('/run', { script, data: DATA }, { peer });
const preview = (script: string) => app.post('/preview/chart', { script, data: DATA }, bearer(key));
const hover = (source: string, peer: string) => app.post('/lsp/hover', { source, line: 0, character: 0 }, { peer });

/** Sends so many, and waits until so many of them are refused: the others are in, or in the queue. */
async function flood(peer: string, count: number, refusals: number): Promise<readonly Sent[]> {
  const refused: Sent[] = [];
  for (let i = 0; i < count; i += 1)
    void run(`${peer}#${i}`, peer).then((answer) => answer.status !== 200 && refused.push(answer));
  await expect.poll(() => refused.length).toBe(refusals);
  return refused;
}

/** Twenty from each of four addresses: the first two fill all the places. */
async function floodOfMany(): Promise<void> {
  await flood('192.0.2.1', 20, 20 - 1 - PLACES_OF_ONE);
  await flood('192.0.2.2', 20, 20 - (PLACES - PLACES_OF_ONE));
  for (const peer of ['192.0.2.3', '192.0.2.4']) await flood(peer, 20, 20);
}

describe('while one address floods the free runs', () => {
  it('it has half of the places of strangers, and is told 429 at once for the rest', async () => {
    const refused = await flood('192.0.2.1', 40, 40 - 1 - PLACES_OF_ONE);
    for (const { status, body, headers } of refused) {
      expect([status, body.code, headers.get('retry-after')]).toEqual([429, 'BUSY', '1']);
      expect(body.message).toContain('16 scripts of yours wait already');
    }
  });

  it('another address is next when the run under way ends', async () => {
    await flood('192.0.2.1', 40, 40 - 1 - PLACES_OF_ONE);
    const [first = ''] = await runs.until(1);
    const other = run('other', '192.0.2.2');
    runs.end(first);
    // The flood's second run had its turn before the other came; the third has not.
    await expect.poll(() => runs.begun.includes('other') || runs.end(runs.begun.at(-1) ?? '')).toBe(true);
    expect(runs.begun.indexOf('other')).toBeLessThanOrEqual(2);
    runs.end('other');
    expect((await other).status).toBe(200);
  });
});

describe('while many addresses flood the free runs', () => {
  it('a preview with a key and an editor are answered before a single one of those runs has ended', async () => {
    await floodOfMany();
    expect(await runs.until(1)).toHaveLength(1);
    const answers = [preview('with a key'), hover('while typing', '192.0.2.1')];
    expect([...(await runs.until(3))].sort()).toEqual([runs.begun[0], 'while typing', 'with a key'].sort());
    runs.end('with a key');
    runs.end('while typing');
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
    expect(runs.begun).toHaveLength(3);
  });

  it('one more is refused before its body is received', async () => {
    await floodOfMany();
    // It never ends: whoever reads it waits for ever.
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(10)) });
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
    const answer = await app.app.request('/run', init, { peer: '192.0.2.9' });
    expect(answer.status).toBe(429);
  });
});

it('floods of one key and of editors leave strangers a thread', async () => {
  const previews = Array.from({ length: 6 }, (_, i) => preview(`key#${i}`));
  const hovers = Array.from({ length: 6 }, (_, i) => hover(`editor#${i}`, '192.0.2.1'));
  expect([...(await runs.until(2))].sort()).toEqual(['editor#0', 'key#0']);
  const stranger = run('stranger', '192.0.2.2');
  expect((await runs.until(3)).at(-1)).toBe('stranger');
  runs.end('stranger');
  expect((await stranger).status).toBe(200);
  await pool.close();
  await Promise.allSettled([...previews, ...hovers]);
});
