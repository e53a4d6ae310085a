// What the command line says of an instance that does not answer: one that is late is not taken for one that does not run.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { closeAtEnd } from '../../tests/support/close-at-end.ts';
import { connectOverHttp } from './connect.ts';

async function urlOf(isListening: boolean): Promise<string> {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  if (isListening) closeAtEnd(close);
  else await close();
  return url;
}

test('one that takes the request and is late may still do it, and its sender is told to look first', async () => {
  const late = connectOverHttp(await urlOf(true), undefined, { timeoutMs: 50 }).call('POST', '/positions/close', {
    all: true,
  });
  await expect(late).rejects.toThrow(/has not answered within 0.05 s, and may still do what was asked; look at/);
});

test('one that takes no connection does not run', async () => {
  const gone = connectOverHttp(await urlOf(false), undefined).call('GET', '/positions');
  await expect(gone).rejects.toThrow(/cannot be reached .*is Signalbox running there\?/);
});
