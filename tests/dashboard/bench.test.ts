// The benchmark of the dashboard's chart: a short run of it must work, and moving the chart must not take the time of a slow page.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const RUN = fileURLToPath(new URL('../../bench/run.ts', import.meta.url));
/** Three times what it shall be: machines that test are slow and busy. */
const LOOSE_MS = 30;

it('moves 20,000 candles with five indicators and 2,000 marks', async () => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', RUN, 'dashboard-chart', '--quick']);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  await once(child, 'close');
  for (const zoom of ['as opened', 'zoomed out']) {
    const [, frames, meanMs] = new RegExp(`^${zoom}: (\\d+) frames, mean ([\\d.]+) ms`, 'm').exec(output) ?? [output];
    expect(Number(frames)).toBeGreaterThan(20);
    expect(Number(meanMs)).toBeLessThan(LOOSE_MS);
  }
});
