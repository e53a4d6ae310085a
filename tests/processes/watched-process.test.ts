// A process beside ours: started, watched, started again when it dies or stands still, and stopped for good.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WatchedProcess } from '../../src/composition/watched-process.ts';

type Calls = { ping(): void; stop(): void; hang(): void };

const CHANNEL = new URL('../../src/composition/process-channel.ts', import.meta.url).href;
const PROGRAM = `
import { connectProcess } from ${JSON.stringify(CHANNEL)};
process.on('disconnect', () => process.exit());
const parent = connectProcess(process, {
  ping() {},
  stop() { process.exit(); },
  hang() { for (;;); },
});
await parent.ready(process.pid);
`;

const watched: WatchedProcess<Calls>[] = [];
afterEach(async () => {
  for (const one of watched.splice(0)) await one.stop(1000);
});

function start(program = PROGRAM) {
  const file = join(mkdtempSync(join(tmpdir(), 'watched-')), 'program.ts');
  writeFileSync(file, program);
  const pids: number[] = [];
  const ends: string[] = [];
  const one = new WatchedProcess<Calls>({
    file: pathToFileURL(file),
    calls: { ready: (pid: number) => void pids.push(pid) },
    onEnd: (how) => void ends.push(how),
    pingIntervalMs: 50,
    silenceMs: 3000,
  });
  watched.push(one);
  const untilStarted = (times: number) => vi.waitFor(() => expect(pids).toHaveLength(times), { timeout: 60_000 });
  return { one, pids, ends, untilStarted };
}

describe('a watched process', () => {
  it('is started again after kill -9, and says how it ended', async () => {
    const { one, pids, ends, untilStarted } = start();
    await untilStarted(1);
    process.kill(pids[0] as number, 'SIGKILL');
    await untilStarted(2);
    expect(ends).toEqual(['it was ended by SIGKILL']);
    expect(one.pid).toBe(pids[1]);
    expect(pids[1]).not.toBe(pids[0]);
  });

  it('whose event loop stands still is killed and replaced; whoever waits for it is told', async () => {
    const { one, ends, untilStarted } = start();
    await untilStarted(1);
    await expect(one.remote?.hang()).rejects.toThrow('has ended');
    await untilStarted(2);
    expect(ends).toEqual(['it was ended by SIGKILL']);
  });

  it('that cannot start is tried again, more and more seldom', async () => {
    const { ends } = start('process.exit(3)');
    const startedMs = performance.now();
    await vi.waitFor(() => expect(ends.length).toBeGreaterThanOrEqual(4), { timeout: 60_000 });
    expect(ends[0]).toBe('it ended with code 3');
    // 100, 200 and 400 ms between the four.
    expect(performance.now() - startedMs).toBeGreaterThan(700);
  });

  it('is stopped for good, also one that does not listen', async () => {
    const { one, pids, ends, untilStarted } = start();
    await untilStarted(1);
    void one.remote?.hang().catch(() => {});
    await one.stop(100);
    expect(() => process.kill(pids[0] as number, 0)).toThrow();
    expect(ends).toEqual([]);
  });
});
