// A disk without room, or one that fails, under the log and under the files of our own: a log that cannot be written costs
// lines and nothing else, and a start that cannot write its data ends at once, in words.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runCommandHere } from '../cli/command-line.ts';
import { type DiskFaults, prepareDiskFaults } from '../support/disk-faults/index.ts';
import { freshDataDir, runSignalbox, spawnSignalbox, startGatewayProcess, startProcess } from '../support/process.ts';

/** Whatever is written to it finds no room. */
const FULL_DISK = '/dev/full';

const GREETING = /is listening on (\S+).*(whk_[\w-]{43})/s;

let child: ChildProcess | undefined;
afterEach(() => child?.kill('SIGKILL'));

/** `signalbox start > file`, where the file is on a full disk. */
function startWithFullLog(dataDir: string, env: Readonly<Record<string, string>> = {}) {
  const full = openSync(FULL_DISK, 'w');
  const started = spawnSignalbox(
    ['start'],
    { DATA_DIR: dataDir, SERVICES: 'gateway', ...env },
    undefined,
    full,
    'ignore',
    'pipe',
  );
  closeSync(full);
  child = started;
  let stderr = '';
  started.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = once(started, 'close').then(([code]) => code as number | null);
  return { started, ended, stderr: () => stderr };
}

describe('with a log on a full disk', () => {
  it('it starts, tells its key on standard error, trades, and a SIGTERM ends it with 0', async () => {
    const { started, ended, stderr } = startWithFullLog(freshDataDir());
    await expect.poll(stderr, { timeout: 60_000 }).toMatch(GREETING);
    const [, url, apiKey] = GREETING.exec(stderr()) ?? [];
    const signal = { apiKey, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
    const answer = await fetch(`${url}/webhook`, { method: 'POST', body: JSON.stringify(signal) });
    expect(await answer.json()).toMatchObject({ success: true, tradeResult: { status: 'Filled' } });
    started.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});

describe('a start whose data cannot be written ends with 1, the file and the remedy', () => {
  let disk: DiskFaults | undefined;
  afterEach(() => disk?.close());

  it.each([
    [1, 'instance.lock'],
    [4, 'settings.db'],
    [8, 'signalbox.db'],
  ])('from file %s on that it makes: %s', async (step, file) => {
    const dataDir = freshDataDir();
    disk = await prepareDiskFaults(dataDir);
    disk.fail({ step, kinds: ['create'], error: 'ENOSPC', forGood: true });
    const { ended, stderr } = startWithFullLog(dataDir, disk.env);
    expect([await ended, stderr()]).toEqual([
      1,
      expect.stringContaining(`the disk that holds ${join(dataDir, file)} is full; free some space`),
    ]);
  });

  it.each([
    ['instance.json', 'ENOSPC', /the disk that holds \S*instance\.json is full; free some space/],
    ['instance.json', 'EIO', /the disk failed while reading or writing \S*instance\.json; check the disk/],
    ['databases.json', 'ENOSPC', /the disk that holds \S*databases\.json is full; free some space/],
    ['settings.db-wal', 'ENOSPC', /the disk that holds \S*settings\.db is full; free some space/],
  ] as const)('%s, %s', async (file, error, words) => {
    const dataDir = freshDataDir();
    disk = await prepareDiskFaults(dataDir);
    const written = file.endsWith('.json') ? `.${file}.tmp` : file;
    disk.fail({ step: 1, kinds: ['write', 'sync'], error, forGood: true, file: written });
    const { ended, stderr } = startWithFullLog(dataDir, disk.env);
    expect([await ended, stderr()]).toEqual([1, expect.stringMatching(words)]);
    // One of each kind of file: what the next start finds is the same for the others.
    if (error === 'EIO' || file === 'databases.json') return;
    disk.heal();
    expect(await (await startGatewayProcess({ dataDir, env: disk.env })).stop()).toBe(0);
  });
});

it('a key file that cannot be written keeps nobody from trading, and is tried again until the disk has room', async () => {
  const dataDir = freshDataDir();
  const disk = await prepareDiskFaults(dataDir);
  disk.fail({ step: 1, kinds: ['write', 'sync'], error: 'ENOSPC', forGood: true, file: '.api_keys.json.tmp' });
  const running = await startProcess({ dataDir, env: disk.env });
  expect(running.output()).toMatch(/Warning: .*the disk that holds \S*api_keys\.json is full; free some space/);
  const signal = { apiKey: running.apiKey, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
  const traded = await fetch(`${running.url}/webhook`, { method: 'POST', body: JSON.stringify(signal) });
  expect(traded.status).toBe(200);
  disk.heal();
  const ready = async () => (await fetch(`${running.url}/ready`)).text();
  await vi.waitFor(async () => expect(await ready()).toContain('"analysis keys":"ok"'), { timeout: 60_000 });
  expect(await running.stop()).toBe(0);
  disk.close();
});

describe('a stop that cannot bring a log into its database', () => {
  it('leaves its note, so that the next start misses a log that is gone by then', async () => {
    const dataDir = freshDataDir();
    const disk = await prepareDiskFaults(dataDir);
    const running = await startGatewayProcess({ dataDir, env: disk.env });
    expect((await runCommandHere(['kill-switch', 'on'], { DATA_DIR: dataDir })).code).toBe(0);
    disk.fail({ step: 1, kinds: ['write'], error: 'ENOSPC', forGood: true, file: '/settings.db' });
    expect(await running.stop()).toBe(0);
    disk.close();
    const log = join(dataDir, 'settings.db-wal');
    const note = join(dataDir, 'instance.json');
    expect(JSON.parse(readFileSync(note, 'utf8'))).toEqual({ pid: running.child.pid, open: ['settings.db'] });
    expect(running.output()).toMatch(/settings\.db-wal.*could not be brought into their databases: is the disk full\?/);
    renameSync(log, `${log}.away`);
    const { code, stderr } = await runSignalbox(['start'], { DATA_DIR: dataDir });
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${log}: missing`)]);
    renameSync(`${log}.away`, log);
    const again = await startGatewayProcess({ dataDir });
    expect((await runCommandHere(['kill-switch'], { DATA_DIR: dataDir })).stdout).toMatch(/\bON\b/);
    expect(await again.stop()).toBe(0);
    expect([existsSync(log), existsSync(note)]).toEqual([false, false]);
  });

  it('that is killed while it closes its databases leaves a folder that starts', async () => {
    const dataDir = freshDataDir();
    const disk = await prepareDiskFaults(dataDir);
    const running = await startProcess({ dataDir, env: disk.env });
    const logs = ['signalbox.db-wal', 'settings.db-wal', 'scripts.db-wal'].map((name) => join(dataDir, name));
    expect(logs.every(existsSync)).toBe(true);
    disk.delaySyncs(400);
    running.child.kill('SIGTERM');
    await expect.poll(() => logs.every(existsSync), { interval: 5 }).toBe(false);
    await running.kill();
    expect(existsSync(join(dataDir, 'instance.json'))).toBe(true);
    disk.heal();
    disk.close();
    expect(await (await startProcess({ dataDir })).stop()).toBe(0);
  });
});

it('refusals that cannot be written down are told in /ready', async () => {
  const dataDir = freshDataDir();
  const disk = await prepareDiskFaults(dataDir);
  const running = await startGatewayProcess({ dataDir, env: disk.env });
  disk.fail({ step: 1, kinds: ['write'], error: 'ENOSPC', forGood: true, file: '/signalbox.db-wal' });
  const body = JSON.stringify({ apiKey: running.apiKey, quantity: 0 });
  expect((await fetch(`${running.url}/webhook`, { method: 'POST', body })).status).toBe(400);
  const warnings = async () => JSON.stringify(await (await fetch(`${running.url}/ready`)).json());
  await expect.poll(warnings).toMatch(/1 refusals were not written down and are only in the log: the disk .* is full/);
  disk.heal();
  await running.stop();
  disk.close();
});
