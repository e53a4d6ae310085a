// Prototype pollution, tried at every door of the whole program: bodies and names in addresses that mean the prototype.
//
// Each process and thread of the program looks at what all objects share when it ends and while it runs, and says so.

import { beforeAll, describe, expect, it } from 'vitest';
import { closeWithFile } from '../support/close-at-end.ts';
import { type RunningProcess, startProcess } from '../support/process.ts';

const ADMIN_TOKEN = 'b'.repeat(64);
const FOUND = 'PROTOTYPE POLLUTED';
/** Runs first in each of them, threads included. */
const WATCHER = `
const look = () => { if ('polluted' in {} || Object.keys(Object.prototype).length > 0) process.stderr.write('${FOUND}\\n'); };
setInterval(look, 20).unref();
process.once('exit', look);`;

const BODIES = [
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"a":{"__proto__":{"polluted":true}},"__proto__":{"a":{"__proto__":{"polluted":true}}}}',
  '[{"__proto__":{"polluted":true}}]',
];
const NAMES = ['__proto__', 'constructor', 'prototype', 'toString'];

interface Operation {
  readonly method: string;
  readonly path: string;
}

let program: RunningProcess;
let operations: readonly Operation[];
let headers: Record<string, string>;

beforeAll(async () => {
  const preload = `data:text/javascript,${encodeURIComponent(WATCHER)}`;
  program = await startProcess({
    env: { ADMIN_TOKEN, LOG_LEVEL: 'error', WEBHOOK_RATE_PER_MINUTE: '0', NODE_OPTIONS: `--import=${preload}` },
  });
  closeWithFile(() => program.kill());
  const description = (await (await fetch(`${program.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      .map((method) => ({ method: method.toUpperCase(), path })),
  );
  const made = await fetch(`${program.url}/api/keys`, {
    ...{ method: 'POST', body: '{}', headers: { 'X-Admin-Token': ADMIN_TOKEN } },
  });
  const { api_key: key } = (await made.json()) as { api_key?: string };
  headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
});

/** 500 is a fault of ours. 503 is what is switched off here: agent, wallet, chain. */
async function send({ method, path }: Operation, body?: string): Promise<void> {
  // A key that a door does not want is no help at it, but an internal one takes a wrong token for a guess.
  const isKeyed = path.startsWith('/api/');
  const response = await fetch(program.url + path, {
    ...{ method, body, headers: isKeyed ? headers : { 'Content-Type': 'application/json' } },
  });
  const text = await response.text();
  expect([method, path, body, response.status === 500 ? text : 'no fault']).toEqual([method, path, body, 'no fault']);
}

describe('prototype pollution', () => {
  it('is looked for in the right place', () => {
    expect(operations.length).toBeGreaterThan(100);
    expect(headers.Authorization).toMatch(/pn_/);
  });

  it.each(BODIES)('by the body %s at every door that takes one', { timeout: 120_000 }, async (body) => {
    const doors = operations.filter(({ method }) => ['POST', 'PUT', 'PATCH'].includes(method));
    expect(doors.length).toBeGreaterThan(40);
    for (const { method, path } of doors) await send({ method, path: path.replaceAll(/\{\w+\}/g, 'x') }, body);
  });

  it.each(NAMES)('by the name %s at every door with a name in its address', { timeout: 120_000 }, async (name) => {
    const doors = operations.filter(({ path }) => path.includes('{'));
    expect(doors.length).toBeGreaterThan(20);
    for (const { method, path } of doors)
      await send({ method, path: path.replaceAll(/\{\w+\}/g, name) }, method === 'GET' ? undefined : '{}');
  });

  it('has changed nothing in any process, and all of them still work', async () => {
    expect((await fetch(`${program.url}/ready`)).status).toBe(200);
    expect(await program.stop()).toBe(0);
    expect(program.output()).not.toContain(FOUND);
  });
});
