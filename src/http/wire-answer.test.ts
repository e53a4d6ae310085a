// The string that goes on the wire; that node would send the same bytes is the fast lane's test.
import { expect, test } from 'vitest';
import { createWriteOut } from './wire-answer.ts';

function createClock(startMs: number) {
  const clock = { ms: startMs };
  return { clock, write: createWriteOut({ nowMs: () => clock.ms, keepAliveTimeoutMs: 65_999 }) };
}

const head = (text: string) => text.slice(0, text.indexOf('\r\n\r\n') + 4).split('\r\n');

test('the date follows the clock by the second, also when the clock is set back', () => {
  const { clock, write } = createClock(Date.UTC(2026, 0, 2, 3, 4, 5, 999));
  const date = () => /\r\nDate: ([^\r]*)/.exec(write({ status: 200, body: {} }, 'id', false).text)?.[1];
  expect(date()).toBe('Fri, 02 Jan 2026 03:04:05 GMT');
  clock.ms += 1;
  expect(date()).toBe('Fri, 02 Jan 2026 03:04:06 GMT');
  clock.ms -= 60_000;
  expect(date()).toBe('Fri, 02 Jan 2026 03:03:06 GMT');
});

test('a lasting connection is announced in whole seconds, the last answer says close', () => {
  const { write } = createClock(0);
  const goesOn = write({ status: 200, body: {} }, 'id', false);
  expect(head(goesOn.text).slice(-4)).toEqual(['Connection: keep-alive', 'Keep-Alive: timeout=65', '', '']);
  expect(goesOn.isLast).toBe(false);
  const last = write({ status: 200, body: {} }, 'id', true);
  expect(head(last.text).slice(-3)).toEqual(['Connection: close', '', '']);
  expect(last.isLast).toBe(true);
});

test('a door may ask for the close, once', () => {
  const { write } = createClock(0);
  for (const isLast of [true, false]) {
    const answer = write({ status: 200, body: {}, headers: { Connection: 'close' } }, 'id', isLast);
    expect(answer.text.match(/connection: /gi)).toHaveLength(1);
    expect(answer.isLast).toBe(true);
  }
  const other = write({ status: 200, body: {}, headers: { 'x-word': 'connection' } }, 'id', false);
  expect(other.isLast).toBe(false);
});

test.each(['Date', 'keep-alive', 'Trailer', 'Transfer-Encoding', 'UPGRADE', 'connection'])(
  'a door cannot set %s',
  (name) => {
    const { write } = createClock(0);
    expect(() => write({ status: 200, body: {}, headers: { [name]: 'x' } }, 'id', false)).toThrow(
      `A door set the header ${name.toLowerCase()}. Leave it to the server.`,
    );
  },
);

test.each([199, 204, 205, 304, 600, 200.5, Number.NaN])('a door cannot answer %s', (status) => {
  const { write } = createClock(0);
  expect(() => write({ status, body: {} }, 'id', false)).toThrow('Use a status from 200 to 599 that may have a body.');
});

test('the length counts bytes, and only text beyond ASCII is written as UTF-8', () => {
  const { write } = createClock(0);
  const plain = write({ status: 200, body: { a: 'e' } }, 'id', false);
  expect([plain.encoding, plain.text.includes('content-length: 9\r\n')]).toEqual(['latin1', true]);
  const accented = write({ status: 200, body: { a: 'é' } }, 'id', false);
  expect([accented.encoding, accented.text.includes('content-length: 10\r\n')]).toEqual(['utf8', true]);
});
