// Fifteen megabytes of junk to the real program, again and again: it is refused, and the process stays small and alive.

import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningProcess, startProcess } from '../support/process.ts';

const MEBIBYTE = 1024 * 1024;
/** What a machine of 1 GiB has for it. 0.1.0 took more than three times as much for these requests. */
const MOST_MIB = 900;
const filled = (item: string) => {
  const items = item.repeat(Math.floor((15 * MEBIBYTE) / item.length)).slice(0, -1);
  return Buffer.from(`{"script":"x","data":[${items}]}`);
};
/** Each becomes a multiple of its size once it is parsed. */
const JUNK: Readonly<Record<string, Buffer>> = {
  lists: filled('[],'),
  objects: filled('{},'),
  keys: filled('{"a":{"b":{}}},'),
  texts: filled('"ab",'),
  numbers: filled('1,'),
};

let running: RunningProcess;
beforeAll(async () => {
  running = await startProcess();
});
afterAll(() => running.kill());

/** From an address of its own, as a stranger would. */
function send(body: Buffer, localAddress: string): Promise<number> {
  const { port } = new URL(running.url);
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': body.length };
    const sent = request({ port, host: '127.0.0.1', localAddress, method: 'POST', path: '/run', headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', reject).end(body);
  });
}

/** Only Linux tells it of another process. */
const peakMib = (): number =>
  process.platform === 'linux'
    ? Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${running.child.pid}/status`, 'utf8'))?.[1]) / 1024
    : 0;

describe('four requests at once, full of', () => {
  it.each(Object.entries(JUNK))('%s', async (_, body) => {
    const statuses = await Promise.all([2, 3, 4, 5].map((last) => send(body, `127.0.0.${last}`)));
    for (const status of statuses) expect([400, 413, 422, 429]).toContain(status);
    expect((await fetch(`${running.url}/health`)).status).toBe(200);
    expect(peakMib()).toBeLessThan(MOST_MIB);
  });
});
