// Live deployments as real processes: a real script in a real pool, a real database, a real receiver, and kill -9.

import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { TIMEFRAME_MS } from './run-deployments.ts';

const PROGRAM = fileURLToPath(new URL('./run-deployments.ts', import.meta.url));

interface Received {
  readonly key: string;
  readonly signature: string;
  readonly body: string;
  readonly event: { eventId: string; barTime: number; barCloseTime: number; message: string; source: string };
  readonly atMs: number;
}

/** A folder and a receiver of one test's own; what runs there ends with the test. */
async function openPlace(onTestFinished: (end: () => void) => void) {
  const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-live-'));
  const received: Received[] = [];
  const children: ChildProcess[] = [];
  const startsMs: number[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    received.push({
      key: String(request.headers['idempotency-key']),
      signature: String(request.headers['signalbox-signature']),
      body,
      event: JSON.parse(body),
      atMs: Date.now(),
    });
    place.answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL');
    server.closeAllConnections();
    server.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const place = {
    received,
    /** When each process was started. */
    startsMs,
    answer: (response: ServerResponse): void => void response.writeHead(204).end(),
    async start(): Promise<ChildProcess> {
      startsMs.push(Date.now());
      const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', PROGRAM, dataDir, receiver], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      await once(child.stdout, 'data');
      return child;
    },
    rows(sql: string): Record<string, unknown>[] {
      const db = new DatabaseSync(join(dataDir, 'scripts.db'), { readOnly: true, timeout: 5000 });
      const found = db.prepare(sql).all();
      db.close();
      return found as Record<string, unknown>[];
    },
  };
  return place;
}

async function end(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

async function until(condition: () => boolean, limitMs = 60_000): Promise<void> {
  const startedMs = performance.now();
  while (!condition()) {
    if (performance.now() - startedMs > limitMs) throw new Error('it did not happen in time');
    await sleep(20);
  }
}

// Most of the time they wait for the next bar, so they wait side by side.
describe.concurrent('a deployment', () => {
  test('runs its script at every close, and both kinds of alert arrive once, signed, before the next close', async ({
    onTestFinished,
  }) => {
    const { start, received, rows } = await openPlace(onTestFinished);
    const child = await start();
    await until(() => received.length >= 6);
    await end(child, 'SIGTERM');
    // A bar may have closed while the process was told to stop: what it raised is still to be sent, nothing else is.
    const waiting = rows(
      'SELECT e.id, e.bar_time FROM deployment_outbox o JOIN deployment_events e ON e.id = o.event_id',
    );
    const keys = new Set(received.map(({ key }) => key));
    expect(keys.size).toBe(received.length);
    for (const { id } of waiting) expect(keys).not.toContain(id);
    const bars = new Set(received.map(({ event }) => event.barTime));
    for (const { bar_time } of waiting) bars.delete(bar_time as number);
    expect(bars.size).toBeGreaterThanOrEqual(2);
    for (const barTime of bars) {
      const ofBar = received.filter(({ event }) => event.barTime === barTime).map(({ event }) => event);
      expect(ofBar.map(({ source }) => source)).toEqual(['alert', 'alertcondition']);
      expect(ofBar[0]?.message).toMatch(/^close 1\d\d$/);
      expect(ofBar[1]?.message).toMatch(/^BTCUSDT at 1\d\d$/);
    }
    for (const { key, signature, body, event } of received) {
      expect(key).toBe(event.eventId);
      const [, signedMs, digest] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
      expect(createHmac('sha256', 'a-long-secret').update(`${signedMs}.${body}`).digest('hex')).toBe(digest);
    }
    // A busy machine may hold one up; whoever sent them only at the next close would be late with every one.
    const delaysMs = received.map(({ atMs, event }) => atMs - event.barCloseTime);
    expect(Math.min(...delaysMs)).toBeLessThan(TIMEFRAME_MS);
  });

  test('killed between the event and its delivery delivers it after the start, under the same id', async ({
    onTestFinished,
  }) => {
    const place = await openPlace(onTestFinished);
    const { start, received, rows } = place;
    place.answer = () => {};
    const child = await start();
    await until(() => received.length >= 1);
    await end(child, 'SIGKILL');
    const [lost] = received;
    place.answer = (response) => void response.writeHead(200).end();
    await start();
    await until(() => received.filter(({ key }) => key === lost?.key).length >= 2);
    await until(() => rows('SELECT * FROM deployment_outbox').length === 0);
    const again = received.filter(({ key }) => key === lost?.key);
    expect(again.map(({ body }) => body)).toEqual(again.map(() => lost?.body));
    expect(rows(`SELECT id FROM deployment_events WHERE id = '${lost?.key}'`)).toHaveLength(1);
  });

  test('killed again and again at any moment has every event as one row, delivers it, and only for bars that were new', async ({
    onTestFinished,
  }) => {
    const place = await openPlace(onTestFinished);
    const { start, startsMs, received, rows } = place;
    let turn = 0;
    // One in five answers fails, so that there is always something to deliver again.
    place.answer = (response) => {
      turn += 1;
      response.writeHead(turn % 5 === 0 ? 503 : 200).end();
    };
    for (const lifeMs of [700, 2300, 1500, 3100, 1100, 2600]) {
      const child = await start();
      await sleep(lifeMs);
      await end(child, 'SIGKILL');
    }
    const isOver = () =>
      rows('SELECT * FROM deployment_outbox').length === 0 && rows('SELECT id FROM deployment_events').length > 4;
    // A bar may close between the last delivery and the stop: then the next process delivers what it raised.
    for (let starts = 0; starts === 0 || rows('SELECT * FROM deployment_outbox').length > 0; starts += 1) {
      expect(starts).toBeLessThan(5);
      const last = await start();
      await until(isOver);
      await end(last, 'SIGTERM');
    }
    const events = rows('SELECT id, bar_time, ordinal, created_at FROM deployment_events');
    const ids = new Set(events.map(({ id }) => id));
    expect(new Set(received.map(({ key }) => key))).toEqual(ids);
    expect(new Set(events.map(({ bar_time, ordinal }) => `${bar_time} ${ordinal}`)).size).toBe(events.length);
    for (const { bar_time, created_at } of events) {
      const closedMs = (bar_time as number) + TIMEFRAME_MS;
      expect(created_at as number).toBeGreaterThanOrEqual(closedMs);
      // Nothing older than the bar that was the newest one when that process was started.
      const startedMs = startsMs.findLast((startMs) => startMs <= (created_at as number)) ?? 0;
      expect(closedMs).toBeGreaterThan(startedMs - TIMEFRAME_MS);
    }
    expect(rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });
});
