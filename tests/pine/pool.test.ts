// The pool with threads that misbehave on command: every limit, every way to end, and that it is whole afterwards.

import { mkdtempSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createScriptPool } from '../../src/adapters/scripts/script-pool.ts';
import type { ThreadPoolOptions } from '../../src/adapters/scripts/thread-pool.ts';
import type { RunRequest, ScriptRunner } from '../../src/library/script-runner.ts';
import { emptyColumns } from '../../src/pine/run/bars.ts';

const thread = new URL('./brute-thread.ts', import.meta.url);
const open: ScriptRunner[] = [];

function poolOf(options: Partial<ThreadPoolOptions> = {}) {
  const pool = createScriptPool({ thread, size: 1, memoryMb: 64, timeoutMs: 5000, ...options });
  open.push(pool);
  const does = (source: string, more: Partial<RunRequest> = {}) => pool.run({ source, bars: NO_BARS, ...more });
  return { pool, does, sleeps: (ms: number) => does('sleep', { inputs: { ms } }) };
}

const NO_BARS = emptyColumns(0);

afterEach(async () => {
  for (const pool of open.splice(0)) await pool.close();
});

async function environmentIn({ does }: ReturnType<typeof poolOf>): Promise<Record<string, string>> {
  const outcome = await does('environment');
  return JSON.parse('reason' in outcome ? outcome.reason : '');
}

const threadOf = (outcome: { kind: string; reason?: string }) => /thread \d+/.exec(outcome.reason ?? '')?.[0];

describe('a runaway script ends alone, with the remedy, and the pool is whole afterwards', () => {
  it.each([
    ['loop', { timeoutMs: 50 }, 'timeout', 'stopped after 0.05 s; shorten its loops'],
    ['backtrack', { timeoutMs: 50 }, 'timeout', 'stopped after 0.05 s'],
    ['heap', {}, 'too-large', 'stopped at 64 MiB of memory; keep fewer values'],
    ['buffers', {}, 'too-large', 'stopped at 64 MiB of memory'],
    ['largeObject', {}, 'too-large', 'stopped at 64 MiB of memory'],
    ['recurse', {}, 'failed', 'the script engine failed: Maximum call stack size exceeded; try again'],
    ['exit', {}, 'failed', 'the script engine failed: the thread ended by itself'],
    ['wrongAnswer', {}, 'failed', 'answered with "checked"'],
  ])('%s', async (deed, more, kind, reason) => {
    const { does } = poolOf();
    const [outcome, next] = await Promise.all([does(deed, more), does('echo')]);
    expect(outcome).toMatchObject({ kind, reason: expect.stringContaining(reason) });
    expect(threadOf(next)).toBeDefined();
    expect(threadOf(await does('echo'))).toBe(threadOf(next));
  });

  it('garbage is not held against it', async () => {
    const { does } = poolOf({ memoryMb: 192 });
    expect((await does('churn')).kind).toBe('input-fault');
  });
});

describe('threads', () => {
  it('are used again, the last one first', async () => {
    const { does, sleeps } = poolOf({ size: 2 });
    const both = await Promise.all([sleeps(20), sleeps(20)]);
    expect(new Set(both.map((one) => JSON.stringify(one))).size).toBe(2);
    const next = await does('echo');
    for (let i = 0; i < 3; i += 1) expect(await does('echo')).toEqual(next);
  });

  it('that hold much after a job are replaced before the next is measured by it', async () => {
    const { does } = poolOf({ memoryMb: 80 });
    const heavy = await does('hold');
    const next = await does('echo');
    expect(threadOf(next)).toBeDefined();
    expect(threadOf(next)).not.toBe(threadOf(heavy));
  });

  it('see nothing of our environment', async () => {
    process.env.SIGNALBOX_TEST_SECRET = 'hush';
    expect(Object.keys(await environmentIn(poolOf()))).not.toContain('SIGNALBOX_TEST_SECRET');
    delete process.env.SIGNALBOX_TEST_SECRET;
  });

  it('but where files that were read once are kept: they start four times as fast', async () => {
    const folder = process.env.NODE_COMPILE_CACHE ?? mkdtempSync(join(tmpdir(), 'signalbox-compiled-'));
    enableCompileCache(folder);
    expect(await environmentIn(poolOf())).toEqual({ NODE_COMPILE_CACHE: folder });
  });

  it('of a command start before there is a job, and are not replaced before there is another', async () => {
    let started = 0;
    const count = (): void => {
      started += 1;
    };
    process.on('worker', count);
    const service = poolOf();
    const command = poolOf({ duty: 'command' });
    await sleep(1);
    expect(started).toBe(1);
    expect(await command.does('loop', { timeoutMs: 50 })).toMatchObject({ kind: 'timeout' });
    expect(threadOf(await service.does('echo'))).toBeDefined();
    await sleep(100);
    expect(started).toBe(2);
    expect(threadOf(await command.does('echo'))).toBeDefined();
    expect(started).toBe(3);
    process.off('worker', count);
  });

  it('of a command are ended while they start', async () => {
    const { pool, does } = poolOf({ duty: 'command' });
    await pool.close();
    expect(await does('echo')).toMatchObject({ kind: 'canceled' });
  });

  it('that cannot start are told, and cost only the job they were started for', async () => {
    const { does } = poolOf({ thread: new URL('./no-such-thread.ts', import.meta.url) });
    for (let i = 0; i < 2; i += 1) expect(await does('echo')).toMatchObject({ kind: 'failed' });
  });

  it('are not lost to a job that cannot be sent', async () => {
    const { does } = poolOf();
    const outcome = await does('echo', { inputs: { Length: () => 20 } });
    expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining('cannot be sent') });
    expect(threadOf(await does('echo'))).toBeDefined();
  });
});

describe('the queue', () => {
  it('takes as many as it may and refuses the next at once', async () => {
    const { sleeps, does } = poolOf({ maxQueued: 2 });
    const running = sleeps(60);
    const waiting = [does('echo'), does('echo')];
    expect(await does('echo')).toEqual({ kind: 'busy', reason: '2 scripts wait already; try again in a moment' });
    for (const outcome of await Promise.all([running, ...waiting])) expect(threadOf(outcome)).toBeDefined();
  });

  it('of no length takes nobody', async () => {
    const { sleeps, does } = poolOf({ maxQueued: 0 });
    const running = sleeps(20);
    expect((await does('echo')).kind).toBe('busy');
    await running;
    expect(threadOf(await does('echo'))).toBeDefined();
  });

  it('goes in order of arrival', async () => {
    const { sleeps } = poolOf();
    const done: number[] = [];
    await Promise.all([3, 1, 2].map((ms, place) => sleeps(ms).then(() => done.push(place))));
    expect(done).toEqual([0, 1, 2]);
  });

  it('has bounded patience', async () => {
    const { sleeps, does } = poolOf({ maxWaitMs: 30 });
    const running = sleeps(150);
    expect(await does('echo')).toEqual({
      kind: 'busy',
      reason: 'waited 0.03 s for other scripts; try again in a moment',
    });
    expect(threadOf(await running)).toBeDefined();
  });
});

describe('canceling', () => {
  it('before it began costs nothing', async () => {
    const { does } = poolOf({ size: 0 });
    expect((await does('loop', { signal: AbortSignal.abort() })).kind).toBe('canceled');
  });

  it('while it waits takes it out of the queue', async () => {
    const { sleeps, does } = poolOf({ maxQueued: 1 });
    const running = sleeps(60);
    const controller = new AbortController();
    const waiting = does('loop', { signal: controller.signal });
    controller.abort();
    expect((await waiting).kind).toBe('canceled');
    expect(threadOf(await does('echo'))).toBe(threadOf(await running));
  });

  it('while it runs ends its thread, and the next has another', async () => {
    const { does } = poolOf();
    const before = await does('echo');
    const controller = new AbortController();
    const running = does('loop', { signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    expect((await running).kind).toBe('canceled');
    expect(threadOf(await does('echo'))).not.toBe(threadOf(before));
  });

  it('while its thread starts', async () => {
    const { does } = poolOf();
    const controller = new AbortController();
    const running = does('loop', { signal: controller.signal });
    controller.abort();
    expect((await running).kind).toBe('canceled');
    expect(threadOf(await does('echo'))).toBeDefined();
  });

  it('after the end changes nothing', async () => {
    const { does } = poolOf();
    const controller = new AbortController();
    const first = await does('echo', { signal: controller.signal });
    controller.abort();
    expect(await does('echo')).toEqual(first);
  });
});

describe('closing', () => {
  it('cancels what runs and what waits, and takes nothing more', async () => {
    const { pool, does } = poolOf();
    const orders = [does('loop'), does('echo')];
    await pool.close();
    for (const outcome of [...(await Promise.all(orders)), await does('echo')])
      expect(outcome).toEqual({
        kind: 'canceled',
        reason: 'canceled, because Signalbox stops; run it again after the start',
      });
    await pool.close();
  });

  it('waits for what runs when it is told to, but not for ever', async () => {
    const patient = poolOf();
    const finished = patient.sleeps(40);
    await patient.pool.close(4000);
    expect(threadOf(await finished)).toBeDefined();
    const strict = poolOf();
    const endless = strict.does('loop');
    await strict.pool.close(30);
    expect((await endless).kind).toBe('canceled');
  });
});
