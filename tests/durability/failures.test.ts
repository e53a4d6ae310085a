// Bad days: the disk is full, the database locked, damaged or taken away, the clock wrong, the process told to stop.

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, openSync, readdirSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openGateway } from '../support/gateway.ts';
import { timed } from '../support/lived-time.ts';
import { allSettled, compare } from '../support/nothing-lost.ts';
import {
  freshDataDir,
  type RunningProcess,
  runSignalbox,
  spawnSignalbox,
  startGatewayProcess,
} from '../support/process.ts';
import { type Answer, post, type SentSignal } from '../support/senders.ts';

const OPEN_LIMITS = { WEBHOOK_RATE_PER_MINUTE: '0' };

function sender(running: RunningProcess, apiKey = running.apiKey) {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const sent: SentSignal[] = [];
  const send = async (symbol = 'ETHUSDT'): Promise<Answer | undefined> => {
    const idempotencyKey = randomUUID();
    const body = JSON.stringify({
      apiKey,
      exchange: 'binance',
      action: 'LONG',
      symbol,
      quantity: 0.05,
      idempotencyKey,
    });
    const entry: SentSignal = { body, idempotencyKey, answer: undefined };
    sent.push(entry);
    entry.answer = await post(running.url, agent, body);
    return entry.answer;
  };
  return { send, sent };
}

const pauseMs = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('SIGTERM', () => {
  it('answers what is in flight, works off what is queued and ends with code 0', async () => {
    for (const mode of ['direct', 'async']) {
      const running = await startGatewayProcess({ env: { ...OPEN_LIMITS, QUEUE_MODE: mode } });
      const { send, sent } = sender(running);
      const flight = Array.from({ length: 300 }, () => send());
      await Promise.any(flight);
      const code = running.stop();
      await Promise.all(flight);
      expect(await code).toBe(0);
      const answered = sent.filter(({ answer }) => answer);
      expect(answered.length).toBeGreaterThan(0);
      // On a busy machine not all of 300 are filled within the 2.5 s that a sender is kept waiting.
      for (const { answer } of answered) expect(mode === 'direct' ? [200, 202] : [202]).toContain(answer?.status);
      expect(compare(running.dataDir, sent)).toEqual([]);
      const db = new DatabaseSync(join(running.dataDir, 'signalbox.db'), { readOnly: true });
      expect(db.prepare("SELECT count(*) AS n FROM trades WHERE state NOT IN ('filled', 'rejected')").get()?.n).toBe(0);
      db.close();
    }
  });

  it('ends properly also when it comes in the very moment of the greeting', async () => {
    const { dataDir, stop } = await startGatewayProcess();
    expect(await stop()).toBe(0);
    // Also where the folder is not new, and the start shorter.
    expect(await (await startGatewayProcess({ dataDir })).stop()).toBe(0);
  });

  it('closes idle connections at once instead of waiting for them', async () => {
    const running = await startGatewayProcess();
    const { send } = sender(running);
    await send();
    const { result, livedMs } = await timed(() => running.stop());
    expect(result).toBe(0);
    expect(livedMs).toBeLessThan(2000);
  });
});

describe('a full disk', () => {
  it('gives a clear 500, loses nothing acknowledged, and goes on when there is room again', async () => {
    const running = await startGatewayProcess({ env: OPEN_LIMITS });
    const { send, sent } = sender(running);
    for (let i = 0; i < 20; i++) expect((await send())?.status).toBe(200);
    // No file of the process may grow past this: every further write of the journal fails.
    execFileSync('prlimit', ['--pid', String(running.child.pid), '--fsize=4096:unlimited']);
    const refused = await send();
    expect(refused).toMatchObject({ status: 500, body: { success: false, code: 'STORAGE_FAILED' } });
    expect(refused?.body.error).toMatch(/was not accepted: .*(disk|space)/);
    const ready = await fetch(`${running.url}/ready`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ success: false, checks: { journal: expect.stringMatching(/disk/) } });
    execFileSync('prlimit', ['--pid', String(running.child.pid), '--fsize=unlimited:unlimited']);
    expect((await send())?.status).toBe(200);
    // It is asked once a second at most.
    await expect.poll(async () => (await fetch(`${running.url}/ready`)).status).toBe(200);
    await running.kill();
    await (await startGatewayProcess({ dataDir: running.dataDir })).stop();
    expect(compare(running.dataDir, sent)).toEqual([]);
  });

  it('that fills while trades are under way keeps every acknowledged one', async () => {
    const running = await startGatewayProcess({
      env: { ...OPEN_LIMITS, QUEUE_MODE: 'async', SIGNAL_MAX_AGE_S: '600' },
    });
    const { send, sent } = sender(running);
    const first = Array.from({ length: 400 }, () => send());
    while (sent.filter(({ answer }) => answer).length < 50) await pauseMs(1);
    execFileSync('prlimit', ['--pid', String(running.child.pid), '--fsize=4096:unlimited']);
    await Promise.all(first);
    await pauseMs(300);
    execFileSync('prlimit', ['--pid', String(running.child.pid), '--fsize=unlimited:unlimited']);
    await allSettled(running.url);
    await running.stop();
    expect(compare(running.dataDir, sent)).toEqual([]);
    expect(sent.filter(({ answer }) => answer?.status === 202).length).toBeGreaterThan(0);
  });
});

describe('a locked database', () => {
  it('gives a clear 500 within the sender’s patience and works again when it is free', async () => {
    const running = await startGatewayProcess({ env: OPEN_LIMITS });
    const { send, sent } = sender(running);
    expect((await send())?.status).toBe(200);
    const other = new DatabaseSync(join(running.dataDir, 'signalbox.db'), { timeout: 2000 });
    other.exec('BEGIN IMMEDIATE');
    const before = Date.now();
    const refused = await send();
    expect(refused).toMatchObject({ status: 500, body: { code: 'STORAGE_FAILED' } });
    expect(refused?.body.error).toMatch(/locked by another program/);
    expect(Date.now() - before).toBeLessThan(3000);
    other.exec('ROLLBACK');
    other.close();
    expect((await send())?.status).toBe(200);
    await running.stop();
    expect(compare(running.dataDir, sent)).toEqual([]);
  });
});

describe('a damaged database', () => {
  it('is refused at the start with its path and the remedy, and left as it is', async () => {
    const running = await startGatewayProcess();
    await running.stop();
    for (const name of ['signalbox.db', 'settings.db']) {
      const path = join(running.dataDir, name);
      const whole = readFileSync(path);
      const damaged = Buffer.concat([Buffer.from('this is no database'), whole.subarray(19)]);
      writeFileSync(path, damaged);
      const { code, stderr, stdout } = await runSignalbox(['start'], { DATA_DIR: running.dataDir });
      expect(code).toBe(1);
      expect(stderr).toContain(path);
      expect(stderr).toMatch(/not a SQLite database.*restore a backup/);
      expect(stderr + stdout).not.toMatch(/ {4}at /);
      expect(readFileSync(path).equals(damaged)).toBe(true);
      writeFileSync(path, whole);
    }
  });

  it('that is damaged while running gives clear errors, not wrong answers', async () => {
    const running = await startGatewayProcess({ env: OPEN_LIMITS });
    const { send } = sender(running);
    for (let i = 0; i < 5; i++) expect((await send())?.status).toBe(200);
    await running.stop();
    // Everything behind the first page is garbage now: the file opens, but nothing in it can be read.
    const path = join(running.dataDir, 'signalbox.db');
    copyFileSync(path, `${path}.copy`);
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(readFileSync(path).length - 4096, 0xee), 0, undefined, 4096);
    const { code, stderr } = await runSignalbox(['start'], { DATA_DIR: running.dataDir });
    expect(code).toBe(1);
    expect(stderr).toMatch(/is damaged; stop Signalbox, keep a copy/);
  });
});

describe('a database taken away while running', () => {
  it('refuses signals instead of acknowledging what would be lost', async () => {
    const running = await startGatewayProcess({ env: OPEN_LIMITS });
    const { send } = sender(running);
    expect((await send())?.status).toBe(200);
    const path = join(running.dataDir, 'signalbox.db');
    renameSync(path, `${path}.away`);
    const refused = await send();
    expect(refused).toMatchObject({ status: 500, body: { code: 'STORAGE_FAILED' } });
    expect(refused?.body.error).toMatch(/moved, replaced or deleted/);
    renameSync(`${path}.away`, path);
    expect((await send())?.status).toBe(200);
    await running.stop();
  });
});

describe('beside one that runs', () => {
  let running: RunningProcess;
  beforeAll(async () => {
    running = await startGatewayProcess({ env: OPEN_LIMITS });
  });
  afterAll(() => running.stop());

  it('a second one on its data folder refuses to start, names the first, and the first goes on', async () => {
    const { code, stderr } = await runSignalbox(['start'], { DATA_DIR: running.dataDir });
    expect(code).toBe(1);
    expect(stderr).toContain(`process ${running.child.pid} at ${running.url}`);
    expect(stderr).toContain('DATA_DIR');
    expect((await sender(running).send())?.status).toBe(200);
  });

  it('a port that is taken is named with the remedy', async () => {
    const { code, stderr } = await runSignalbox(['start'], {
      DATA_DIR: freshDataDir(),
      PORT: new URL(running.url).port,
    });
    expect(code).toBe(1);
    expect(stderr).toContain(new URL(running.url).port);
    expect(stderr).toContain('PORT=');
  });
});

describe('kill -9 during the very first start', () => {
  it('never leaves a folder that cannot be started', async () => {
    // The first moment at which there is something in the folder, and moments after it: how long a start takes differs.
    for (const afterMs of [0, 60, 120]) {
      const dataDir = freshDataDir();
      const child = spawnSignalbox(['start'], { DATA_DIR: dataDir });
      while (readdirSync(dataDir).length === 0) await pauseMs(1);
      await pauseMs(afterMs);
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
      const again = await startGatewayProcess({ dataDir, env: { WEBHOOK_API_KEYS: `whk_${'s'.repeat(43)}` } });
      expect((await sender(again, `whk_${'s'.repeat(43)}`).send())?.status).toBe(200);
      await again.stop();
    }
  });
});

describe('a clock that jumps back', () => {
  it('keeps accepting, keeps newest first, and still knows its duplicates', async () => {
    const gateway = await openGateway();
    const key = randomUUID();
    const first = await gateway.send({ idempotencyKey: key });
    gateway.clock.offsetMs = -3_600_000;
    const second = await gateway.send({});
    expect([first.status, second.status]).toEqual([200, 200]);
    expect((await gateway.send({ idempotencyKey: key })).status).toBe(409);
    const { body } = await gateway.request('GET', '/trades');
    expect(body.result.map((trade: { requestId: string }) => trade.requestId)).toEqual([
      second.body.requestId,
      first.body.requestId,
    ]);
    expect(second.body.requestId > first.body.requestId).toBe(true);
    await gateway.close();
  });
});
