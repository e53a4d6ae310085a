// Ctrl-C while signalbox optimize runs, in a process of its own: the best so far is shown, and the process ends with 1.

import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { spawnSignalbox } from '../support/process.ts';

const SCRIPT = `//@version=6
strategy("Slow")
n = input.int(0, "N")
sum = 0.0
for i = 0 to 2000 + n
    sum += math.sin(i)
if bar_index % 20 == 0
    strategy.entry("L", strategy.long)
if bar_index % 20 == 10 and sum < 1e9
    strategy.close("L")
`;

const TICKS_PER_S = 100;
const [USER, SYSTEM] = [11, 12];

/** What the process has used, all its threads together. */
function processorSeconds(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[USER]) + Number(fields[SYSTEM])) / TICKS_PER_S;
}

it('the first Ctrl-C ends the search and shows what was found', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-interrupt-'));
  const bars = Array.from({ length: 2000 }, (_, i) => `${i * 60},${100 + (i % 7)},110,90,${100 + (i % 5)}`);
  writeFileSync(join(folder, 'slow.pine'), SCRIPT);
  writeFileSync(join(folder, 'bars.csv'), `time,open,high,low,close\n${bars.join('\n')}\n`);
  const words = ['optimize', 'slow.pine', '--bars', 'bars.csv', '--vary', 'N=0..999', '--json'];
  const child = spawnSignalbox(words, {}, folder);
  let [out, err] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const ended = once(child, 'close');
  // A minute of work: after some seconds of it, the search is under way and far from its end.
  await expect.poll(() => processorSeconds(child.pid), { timeout: 200_000 }).toBeGreaterThan(3);
  child.kill('SIGINT');
  const [code] = await ended;
  expect([code, err.trim()]).toEqual([
    1,
    expect.stringMatching(/^Stopped: interrupted\. \d+ of 1000 backtests were run\.$/),
  ]);
  const { backtests, stopped, top } = JSON.parse(out);
  expect(stopped).toBe('interrupted');
  expect(backtests.done).toBeLessThan(1000);
  expect(top.length).toBeGreaterThan(0);
});
