// The benchmark of the stream: a short run of it must work, whatever the machine's figures are.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const RUN = fileURLToPath(new URL('../../bench/run.ts', import.meta.url));

it('measures a bare server, ours, and ours beside a client that does not read', async () => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', RUN, 'stream', '--quick']);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  await once(child, 'close');
  for (const name of ['bare server, one loop', 'ours', 'ours, one client stuck'])
    expect(output).toMatch(new RegExp(`^${name} +\\d+ messages/s  delay p50 [\\d.]+ ms  p99 [\\d.]+ ms`, 'm'));
  expect(output).toMatch(/100 clients, median of 1: throughput [\d.]+ times the bare server's/);
});
