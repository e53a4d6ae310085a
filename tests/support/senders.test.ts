// What counts as an answer for whoever sends signals: an acknowledgement also where nobody can read it, and never the start of a body whose
// connection was cut.

import { Agent, createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { closeAtEnd } from './close-at-end.ts';
import { post } from './senders.ts';

/** What becomes of a signal to a server that answers so. */
async function answerOf(answer: (response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(response));
  });
  const agent = new Agent();
  closeAtEnd(async () => {
    agent.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return post(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, agent, '{}');
}

test.each(['', 'accepted', '{"requestId":"0', 'null', '"accepted"'])(
  'an acknowledgement whose whole body is %j is one that cannot be read',
  async (text) => {
    const sent = await answerOf((response) => response.writeHead(202).end(text));
    expect(sent).toEqual({ status: 202, body: { unreadable: text } });
  },
);

test.each([
  ['of a known length', { 'content-length': '100' }],
  ['in chunks', { 'transfer-encoding': 'chunked' }],
])('an acknowledgement %s that was cut in the middle of its body is no answer', async (_, headers) => {
  const sent = await answerOf((response) => {
    response.writeHead(202, headers).write('{"requestId":"0', () => response.socket?.destroy());
  });
  expect(sent).toBeUndefined();
});

test('a refusal that is no JSON is no answer, and nor is a connection that ends without one', async () => {
  expect(await answerOf((response) => response.writeHead(502).end('<html>'))).toBeUndefined();
  expect(await answerOf((response) => response.socket?.destroy())).toBeUndefined();
});
