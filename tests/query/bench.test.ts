// The benchmark of queries beside signals: a short run of it must work, whatever the machine's figures are.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const RUN = fileURLToPath(new URL('../../bench/run.ts', import.meta.url));

it('measures signals alone and beside a query that ends at its limit', async () => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', RUN, 'query', '--quick']);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await once(child, 'close');
  expect(output).toMatch(/signals alone +\d+ signals, 0 failed/);
  expect(output).toMatch(/p99 beside the cross join: \d+\.\d+ ms, target < 20 ms/);
  // How long after the limit is the machine's figure, so either verdict will do; that each was stopped is not.
  expect(output).toMatch(/every query ended at its limit: 408 after \d+\.\d+ s(, 408 after \d+\.\d+ s)*$/m);
  expect(output).toMatch(/a slow write ended at its own limit: 408 after \d+\.\d+ s/);
});
