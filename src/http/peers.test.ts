// The client of a connection that was handed on: whoever asks for the other end of its socket hears him, and not the process between.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createAddressList, createClientAddress } from './client-address.ts';
import { type KitContext, peerOf } from './context.ts';
import { gateRequestOfIncoming } from './internal-auth.ts';
import { originText } from './passed-on.ts';
import { tellPeer } from './peers.ts';
import { listen } from './server.ts';
import { echoRoute, openSockets } from './testing/socket-fixture.ts';

const socket = { remoteAddress: '10.0.0.12' };
tellPeer(socket, '203.0.113.7');
const incoming = { headers: {}, httpVersion: '1.1', method: 'GET', url: '/', socket } as unknown as IncomingMessage;

test('every place that asks who is at the other end hears the client of a connection that was handed on', () => {
  expect(peerOf({ env: { incoming } } as unknown as KitContext)).toBe('203.0.113.7');
  const { peer, clientAddress } = gateRequestOfIncoming(incoming, createClientAddress(createAddressList([])));
  expect([peer, clientAddress]).toEqual(['203.0.113.7', '203.0.113.7']);
  expect(originText(incoming, false)).toBe('1.1 203.0.113.7');
});

test('a WebSocket too', async () => {
  const { route, calls } = echoRoute();
  const { sockets, server: unused } = await openSockets({ routes: [route] });
  const server = await listen({
    ...{ host: '127.0.0.1', port: 0, listener: () => {}, sockets },
    inFront(socket, serve) {
      tellPeer(socket, '203.0.113.7');
      serve();
    },
  });
  const client = new WebSocket(`ws://127.0.0.1:${server.port}/echo`);
  await once(client, 'open');
  expect(calls[0]?.clientAddress).toBe('203.0.113.7');
  client.terminate();
  await Promise.all([server.stop(0), unused.stop(0)]);
});
