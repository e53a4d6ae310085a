// A start that fails, or is told to stop half-way, ends the process with its reason: nothing stays behind that looks healthy.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { freshDataDir, spawnSignalbox, startGatewayProcess } from '../support/process.ts';

/** Far longer than any start or stop takes; a process that is still there then has stayed behind. */
const STAYED_BEHIND_MS = 60_000;

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly output: string;
}

const children: ChildProcess[] = [];
const servers: Server[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const server of servers.splice(0)) server.close();
});

function begin(env: Record<string, string>) {
  const child = spawnSignalbox(['start'], env);
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const ended = once(child, 'exit').then(([code, signal]): Ended => ({ code, signal, output }));
  const stayed = wait(STAYED_BEHIND_MS, undefined, { ref: false }).then(() => {
    throw new Error(`the process stayed behind:\n${output}`);
  });
  return { child, output: () => output, end: (): Promise<Ended> => Promise.race([ended, stayed]) };
}

async function listening(onConnection: (socket: Socket) => void = () => {}): Promise<number> {
  const server = createServer(onConnection);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
}

describe('a start that fails ends with code 1 and says why', () => {
  it('when the port for mail is taken', async () => {
    const port = await listening();
    const env = { SMTP_PORT: String(port), SMTP_ALLOWED_SENDERS: 'me@example.com' };
    const { code, output } = await begin({ DATA_DIR: freshDataDir(), ...env }).end();
    expect(code).toBe(1);
    expect(output).toContain(String(port));
  });

  it('when the note of who holds the folder cannot be written', async () => {
    const dataDir = freshDataDir();
    mkdirSync(join(dataDir, 'instance.json'));
    const { code, output } = await begin({ DATA_DIR: dataDir }).end();
    expect(code).toBe(1);
    expect(output).toContain('instance.json');
    expect(output).not.toContain('is listening on');
  });
});

describe('SIGTERM during the start ends it', () => {
  it.each([50, 150, 300, 500, 800, 1200])('%i ms after its beginning', async (afterMs) => {
    const begun = begin({ DATA_DIR: freshDataDir() });
    await wait(afterMs);
    begun.child.kill('SIGTERM');
    const { code, signal } = await begun.end();
    // Before its first line runs, the signal itself ends the process.
    expect(code === 0 || signal === 'SIGTERM').toBe(true);
  });

  it('also while a step of it waits for somebody who never answers', async () => {
    const waiting: Socket[] = [];
    const port = await listening((socket) => waiting.push(socket.on('error', () => {})));
    const redis = { STORE_BACKEND: 'redis', API_KEYS: 'redis', REDIS_URL: `redis://127.0.0.1:${port}` };
    const begun = begin({ DATA_DIR: freshDataDir(), ...redis });
    while (waiting.length === 0) await wait(10);
    begun.child.kill('SIGTERM');
    const { code } = await begun.end();
    expect(code).toBe(0);
    for (const socket of waiting) socket.destroy();
  });

  it('and closes everything when trades may be under way already, though a step hangs', async () => {
    const waiting: Socket[] = [];
    const port = await listening((socket) => waiting.push(socket.on('error', () => {})));
    // The wallet asks its chains after the unfinished trades were taken up.
    const silent = `http://127.0.0.1:${port}`;
    const begun = begin({ DATA_DIR: freshDataDir(), RPC_ETHEREUM: silent, RPC_BASE: silent });
    while (waiting.length === 0) await wait(10);
    begun.child.kill('SIGTERM');
    const { code, output } = await begun.end();
    expect(code).toBe(0);
    expect(output).toContain('finishing what was begun');
    expect(output).toContain('"stopped"');
    for (const socket of waiting) socket.destroy();
  });
});

it('kill -9 at the moment its door opens is seen as a crash by the next start', async () => {
  const port = await listening();
  const [holder] = servers.splice(0);
  holder?.close();
  const dataDir = freshDataDir();
  const begun = begin({ DATA_DIR: dataDir, PORT: String(port) });
  const isOpen = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.on('error', () => resolve(false));
    });
  while (!(await isOpen())) await wait(1);
  begun.child.kill('SIGKILL');
  await begun.end();
  const next = await startGatewayProcess({ dataDir });
  await next.stop();
  expect(next.output()).toContain('it was not stopped properly');
});
