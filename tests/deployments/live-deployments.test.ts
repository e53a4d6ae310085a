// Live deployments as real processes: a real script in a real pool, a real database, a real receiver, and kill -9.

import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TIMEFRAME_MS } from './run-deployments.ts';

interface Received {
  readonly key: string;
  readonly signature: string;
  readonly body: string;
  readonly event: { eventId: string; barTime: number; barCloseTime: number; message: string; source: string };
  readonly atMs: number;
}

let dataDir: string;
let server: Server;
let place: string;
let received: Received[];
let answer: (response: ServerResponse, received: Received) => void;
let children: ChildProcess[];

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'signalbox-live-'));
  received = [];
  children = [];
  answer = (response) => void response.writeHead(204).end();
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const letter = {
      key: String(request.headers['idempotency-key']),
      signature: String(request.headers['signalbox-signature']),
      body,
      event: JSON.parse(body),
      atMs: Date.now(),
    };
    received.push(letter);
    answer(response, letter);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  server.closeAllConnections();
  server.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function startProcess(): Promise<ChildProcess> {
  const file = fileURLToPath(new URL('./run-deployments.ts', import.meta.url));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file, dataDir, place], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await once(child.stdout!, 'data');
  return child;
}

async function end(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

async function until(condition: () => boolean, limitMs = 30_000): Promise<void> {
  const startedMs = Date.now();
  while (!condition()) {
    if (Date.now() - startedMs > limitMs) throw new Error('it did not happen in time');
    await sleep(20);
  }
}

function rows(sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(join(dataDir, 'deployments.db'), { readOnly: true });
  const found = db.prepare(sql).all();
  db.close();
  return found as Record<string, unknown>[];
}

test('a script runs at every close, and both kinds of alert arrive once, signed, before the next close', async () => {
  const child = await startProcess();
  await until(() => received.length >= 6);
  await end(child, 'SIGTERM');
  const bars = new Set(received.map(({ event }) => event.barTime));
  for (const barTime of bars) {
    const ofBar = received.filter(({ event }) => event.barTime === barTime).map(({ event }) => event);
    expect(ofBar.map(({ source }) => source)).toEqual(['alert', 'alertcondition']);
    expect(ofBar[0]?.message).toMatch(/^close 1\d\d$/);
    expect(ofBar[1]?.message).toMatch(/^BTCUSDT at 1\d\d$/);
  }
  for (const { key, signature, body, event, atMs } of received) {
    expect(key).toBe(event.eventId);
    const [, signedMs, digest] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
    expect(createHmac('sha256', 'a-long-secret').update(`${signedMs}.${body}`).digest('hex')).toBe(digest);
    expect(atMs - event.barCloseTime).toBeLessThan(TIMEFRAME_MS);
  }
  const keys = new Set(received.map(({ key }) => key));
  expect(keys.size).toBe(received.length);
  // A bar may have closed while the process was told to stop: what it raised is still to be sent, nothing else is.
  for (const { event_id } of rows('SELECT event_id FROM outbox')) expect(keys).not.toContain(event_id);
});

test('killed between the event and its delivery, it delivers after the start, under the same id', async () => {
  answer = () => {};
  const child = await startProcess();
  await until(() => received.length >= 1);
  await end(child, 'SIGKILL');
  const [lost] = received;
  answer = (response) => void response.writeHead(200).end();
  await startProcess();
  await until(() => received.filter(({ key }) => key === lost?.key).length >= 2);
  await until(() => rows('SELECT * FROM outbox').length === 0);
  const again = received.filter(({ key }) => key === lost?.key);
  expect(again.map(({ body }) => body)).toEqual(again.map(() => lost?.body));
  expect(rows(`SELECT id FROM events WHERE id = '${lost?.key}'`)).toHaveLength(1);
});

test('killed again and again at any moment, every event is one row, arrives, and is of a bar that was new', async () => {
  let turn = 0;
  // One in five answers fails, so that there is always something to deliver again.
  answer = (response) => {
    turn += 1;
    response.writeHead(turn % 5 === 0 ? 503 : 200).end();
  };
  for (const lifeMs of [700, 2300, 1500, 3100, 1100, 2600]) {
    const child = await startProcess();
    await sleep(lifeMs);
    await end(child, 'SIGKILL');
  }
  // A bar may close between the last delivery and the stop: then the next process delivers what it raised.
  for (let starts = 0; starts === 0 || rows('SELECT * FROM outbox').length > 0; starts += 1) {
    expect(starts).toBeLessThan(5);
    const last = await startProcess();
    await until(() => rows('SELECT * FROM outbox').length === 0);
    await end(last, 'SIGTERM');
  }
  const events = rows('SELECT id, bar_time, ordinal, created_at FROM events');
  expect(events.length).toBeGreaterThan(4);
  const ids = new Set(events.map(({ id }) => id));
  expect(new Set(received.map(({ key }) => key))).toEqual(ids);
  expect(new Set(events.map(({ bar_time, ordinal }) => `${bar_time} ${ordinal}`)).size).toBe(events.length);
  for (const { bar_time, created_at } of events) {
    const closedMs = (bar_time as number) + TIMEFRAME_MS;
    expect(created_at as number).toBeGreaterThanOrEqual(closedMs);
    expect(created_at as number).toBeLessThan(closedMs + 2 * TIMEFRAME_MS);
  }
  expect(rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
});
