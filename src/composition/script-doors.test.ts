// The doors of the script process: who comes before it has started waits, and a look at a session that fails is a stranger's call, which
// never ends the process that trades.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../config.ts';
import { StorageError } from '../errors/storage-error.ts';
import { createLog } from '../http/log.ts';
import { createOrigins } from '../http/origins.ts';
import { listen } from '../http/server.ts';
import { createRaisedAlarms } from '../trading/notifications/raised-alarms.ts';
import { createProcessContext } from './process-context.ts';
import { createScriptDoors } from './script-doors.ts';

function openContext() {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line), close: async () => {} };
  const log = createLog({ level: 'info', name: 'test', destination });
  const config = loadConfig({}, { checkAddressEntry: () => undefined });
  const alarms = createRaisedAlarms({ nowMs: Date.now, log });
  return { lines, context: createProcessContext(config, log, { process: 'trading', alarms }) };
}

test('a store that fails while a session is looked at is told in the log, and the call goes on', async () => {
  const { lines, context } = openContext();
  context.gate.admitSessions({
    use() {
      throw new StorageError('storage is closed');
    },
    watch: () => () => {},
  });
  // Nobody listens there.
  const socketPath = () => join(tmpdir(), 'signalbox-no-such.sock');
  const doors = createScriptDoors({ context, origins: createOrigins([]), socketPath, firstStart: () => undefined });
  const listener = doors.inFrontOf((_, outgoing) => outgoing.end());
  const server = await listen({ host: '127.0.0.1', port: 0, listener });
  const name = `signalbox_session_${new URL(server.url).port}`;
  const asked = get(`${server.url}/admin/deployments`, { headers: { cookie: `${name}=x` } });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  expect(answer.resume().statusCode).toBe(503);
  expect(lines.join('')).toContain('storage is closed');
  await server.stop(1000);
});

test('what comes before the first start has come to something waits for it; trading does not, and who has left is not passed on', async () => {
  const { context } = openContext();
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-doors-'));
  const path = join(folder, 'scripts.sock');
  const asked: (string | undefined)[] = [];
  const { promise: firstStart, resolve: start } = Promise.withResolvers<void>();
  let isStarting = true;
  const doors = createScriptDoors({
    ...{ context, origins: createOrigins([]), socketPath: () => path },
    firstStart: () => (isStarting ? firstStart : undefined),
  });
  const server = await listen({
    host: '127.0.0.1',
    port: 0,
    listener: doors.inFrontOf((_, out) => out.end('trading')),
  });
  const ask = async (target: string, signal?: AbortSignal) => {
    const answer = await fetch(server.url + target, signal && { signal });
    return [answer.status, await answer.text()];
  };
  const impatient = new AbortController();
  const left = ask('/bars?left', impatient.signal).catch(() => 'left');
  const waiting = ask('/bars?waited');
  expect(await ask('/health')).toEqual([200, 'trading']);
  impatient.abort();
  expect(await left).toBe('left');
  let connections = 0;
  const scripts = createServer((incoming, outgoing) => {
    asked.push(incoming.url);
    outgoing.end('scripts');
  })
    .on('connection', () => {
      connections += 1;
    })
    .listen(path);
  await once(scripts, 'listening');
  // The server notices that somebody has left before it answers whoever asks after that.
  expect(await ask('/health')).toEqual([200, 'trading']);
  expect(asked).toEqual([]);
  isStarting = false;
  start();
  expect(await waiting).toEqual([200, 'scripts']);
  expect(await ask('/bars?later')).toEqual([200, 'scripts']);
  expect(asked).toEqual(['/bars?waited', '/bars?later']);
  expect(connections).toBe(2);
  await server.stop(1000);
  scripts.close();
  rmSync(folder, { recursive: true });
});
