// The event loop reads no request of a stranger: whatever is longer than 64 KiB is parsed in a thread, on every road, and
// long answers are encoded there too.

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openScriptPool } from '../../src/composition/script-pool.ts';
import { barsOf, GOOD, requestOf } from '../../src/services/analysis/testing/analysis-app.ts';
import { openScriptsApp } from '../../src/services/scripts/testing/scripts-app.ts';
import { bearer, type KeyApp, openKeyApp } from './key-app.ts';

const MOST_CHARS = 64 * 1024;
const LONG = `${GOOD}\n//${'x'.repeat(100_000)}`;
/** A megabyte of rows that are no bars. */
const JUNK = Array.from({ length: 100_000 }, (_, i) => ({ [`k${i % 50}`]: i }));

let pool: ReturnType<typeof openScriptPool>;
let app: KeyApp;
let key: string;
beforeAll(async () => {
  pool = openScriptPool({ size: 2 });
  app = await openKeyApp('sqlite', { script: pool });
  key = await app.keyWith('pro');
});
afterAll(() => pool.close());
afterEach(() => {
  vi.restoreAllMocks();
});

/** How long the texts were that this thread parsed and encoded meanwhile. */
function watched() {
  const parse = vi.spyOn(JSON, 'parse');
  const stringify = vi.spyOn(JSON, 'stringify');
  return () => ({
    parsed: Math.max(0, ...parse.mock.calls.map(([text]) => text.length)),
    encoded: Math.max(0, ...stringify.mock.results.map(({ value }) => value?.length ?? 0)),
  });
}

async function send(path: string, body: object, init: RequestInit = {}): Promise<number> {
  const bytes = JSON.stringify(body);
  const longest = watched();
  const answer = await app.app.request(path, { method: 'POST', body: bytes, ...init }, { peer: '192.0.2.1' });
  await answer.arrayBuffer();
  expect(bytes.length).toBeGreaterThan(MOST_CHARS);
  const { parsed, encoded } = longest();
  expect([path, parsed <= MOST_CHARS, encoded <= MOST_CHARS]).toEqual([path, true, true]);
  return answer.status;
}

describe('a long request is not parsed on the event loop', () => {
  it.each([
    ['/run', requestOf({ script: LONG }), 200],
    ['/run', requestOf({ data: barsOf(20_000) }), 200],
    ['/run', requestOf({ data: JUNK }), 413],
    ['/run/batch', { requests: [requestOf({ script: LONG }), requestOf()] }, 200],
    ['/run/batch', JUNK, 400],
    ['/lsp/completion', { source: LONG, line: 0, character: 0 }, 200],
    ['/lsp/hover', { source: LONG, line: 0, character: 0 }, 200],
    ['/lsp/diagnostics', { source: LONG }, 200],
  ])('%s', async (path, body, status) => {
    expect(await send(path, body)).toBe(status);
  });

  it.each([
    ['/preview/chart', requestOf({ script: LONG }), 200],
    ['/preview/indicator', { expression: 'close', data: barsOf(20_000) }, 200],
    ['/backtest/quick', requestOf({ script: LONG }), 400],
  ])('%s', async (path, body, status) => {
    expect(await send(path, body, bearer(key))).toBe(status);
  });

  it('/ws/run, whose answer carries the id wherever it stands', async () => {
    const session = app.analysis.openRunSession({ clientAddress: '192.0.2.1', requestIds: () => 'x' });
    const message = Buffer.from(JSON.stringify({ ...requestOf({ script: LONG }), id: 'last', type: 'run' }));
    const longest = watched();
    const answer = Buffer.from((await session.receive(message)) ?? []).toString();
    expect(longest().parsed).toBeLessThanOrEqual(MOST_CHARS);
    expect(answer).toContain('{"type":"result","id":"last","status":"success"');
    session.close();
  });

  it('/api/run', async () => {
    const scripts = openScriptsApp({ serveRun: app.analysis.serveRun });
    const init = { method: 'POST', body: JSON.stringify(requestOf({ data: barsOf(20_000) })) };
    const path = `/api/run?key=${await scripts.newKey()}`;
    const longest = watched();
    const answer = await scripts.app.request(path, init, { peer: '192.0.2.1' });
    await answer.arrayBuffer();
    expect(answer.status).toBe(200);
    expect(longest().parsed).toBeLessThanOrEqual(MOST_CHARS);
  });
});
