// The doors of the script process: a look at a session that fails is a stranger's call, and never ends the process that trades.

import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
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

test('a store that fails while a session is looked at is told in the log, and the call goes on', async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line), close: async () => {} };
  const log = createLog({ level: 'info', name: 'test', destination });
  const config = loadConfig({}, { checkAddressEntry: () => undefined });
  const alarms = createRaisedAlarms({ nowMs: Date.now, log });
  const context = createProcessContext(config, log, { process: 'trading', alarms });
  context.gate.admitSessions({
    use() {
      throw new StorageError('storage is closed');
    },
  });
  // Nobody listens there.
  const socketPath = () => join(tmpdir(), 'signalbox-no-such.sock');
  const doors = createScriptDoors({ context, origins: createOrigins([]), socketPath });
  const listener = doors.inFrontOf((_, outgoing) => outgoing.end());
  const server = await listen({ host: '127.0.0.1', port: 0, listener });
  const name = `signalbox_session_${new URL(server.url).port}`;
  const asked = get(`${server.url}/admin/deployments`, { headers: { cookie: `${name}=x` } });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  expect(answer.resume().statusCode).toBe(503);
  expect(lines.join('')).toContain('storage is closed');
  await server.stop(1000);
});
