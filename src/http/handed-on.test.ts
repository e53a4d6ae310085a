// What one process of ours says when it hands a connection on, and whom the other one believes.
import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { asksInFirstBytes, asksToTake, handedPeer, handOnText, proofBy } from './handed-on.ts';

const TOKEN = 't'.repeat(32);
const PROOF = proofBy(TOKEN);

/** As the other side reads it, at a connection from 10.0.0.11. */
function read(text: string): IncomingMessage {
  const lines = text.trimEnd().split('\r\n').slice(1);
  const headers = Object.fromEntries(
    lines.map((line) => line.split(': ')).map(([name = '', value]) => [name.toLowerCase(), value]),
  );
  return { headers, socket: { remoteAddress: '10.0.0.11' } } as unknown as IncomingMessage;
}

const told = (peer: string, proof = PROOF): string | undefined =>
  handedPeer(read(handOnText('10.0.0.12:8787', peer, proof)), PROOF);

describe('the client of a connection that is handed on', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8::1', '2001:db8::1'],
  ])('is the one that is told: %s', (peer, seen) => expect(told(peer)).toBe(seen));

  test.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])(
    'is on the machine of whoever tells it, and nobody of ours, where it is %s',
    (peer) => expect(told(peer)).toBe('10.0.0.11'),
  );

  test.each(['', 'somebody', '203.0.113.7, 127.0.0.1'])('is nobody where it is no address: %j', (peer) =>
    expect(told(peer)).toBeUndefined(),
  );

  test('is not believed without the proof', () => {
    for (const proof of ['', PROOF.slice(1), `${PROOF}0`, proofBy(`${TOKEN}x`), TOKEN])
      expect(told('203.0.113.7', proof)).toBeUndefined();
    const { headers, socket } = read(handOnText('x', '203.0.113.7', PROOF));
    const { 'x-signalbox-proof': _, ...without } = headers;
    expect(handedPeer({ headers: without, socket } as IncomingMessage, PROOF)).toBeUndefined();
  });

  test('the proof does not show the token', () => {
    expect(handOnText('x', '203.0.113.7', PROOF)).not.toContain(TOKEN);
  });
});

describe('whoever asks', () => {
  const text = handOnText('x', '203.0.113.7', PROOF);

  test('is known by the upgrade, and by its first line', () => {
    expect(asksToTake(read(text))).toBe(true);
    expect(asksToTake(read('GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n'))).toBe(false);
    expect(asksToTake(read('GET / HTTP/1.1\r\n\r\n'))).toBe(false);
    expect(asksInFirstBytes(Buffer.from(text))).toBe(true);
    expect(asksInFirstBytes(Buffer.from('GET /webhook HTTP/1.1\r\n'))).toBe(false);
    expect(asksInFirstBytes(Buffer.from('P'))).toBe(false);
  });

  test('is not told from others by less than that line says before its version', () => {
    const line = text.slice(0, text.indexOf(' HTTP/'));
    for (let length = 0; length < line.length; length += 1)
      expect(asksInFirstBytes(Buffer.from(line.slice(0, length)))).toBeUndefined();
    expect(asksInFirstBytes(Buffer.from(line))).toBe(true);
  });
});
