// Attacks on the bytes of HTTP, against the whole program on a real socket: smuggled requests, injected headers and log
// lines, paths that climb out of their folder, names that lead here from elsewhere.

import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { closeWithFile } from '../support/close-at-end.ts';
import { type RunningProcess, startProcess } from '../support/process.ts';

const WAIT_MS = 10_000;

let program: RunningProcess;
beforeAll(async () => {
  program = await startProcess({ env: { WEBHOOK_RATE_PER_MINUTE: '0', LOG_LEVEL: 'debug' } });
  closeWithFile(() => program.kill());
});

/** Everything that comes back on one connection until the other side ends it, or says nothing more. */
async function exchange(bytes: string, quietMs = 300): Promise<string> {
  const { hostname, port } = new URL(program.url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    // What was smuggled in would be answered right behind.
    socket.setTimeout(quietMs, () => socket.destroy());
  });
  socket.setTimeout(WAIT_MS, () => socket.destroy());
  await once(socket, 'connect');
  socket.write(Buffer.from(bytes, 'latin1'));
  await once(socket, 'close');
  return received;
}

const statuses = (received: string): number[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

async function countTrades(): Promise<number> {
  const answer = await fetch(`${program.url}/trades?limit=500`);
  return ((await answer.json()) as { result: unknown[] }).result.length;
}

/** A whole signal that would trade if anybody took it for a request. */
const hidden = (): string => {
  const body = JSON.stringify({
    ...{ apiKey: program.apiKey, exchange: 'mexc', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.0001 },
  });
  return `POST /webhook HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};

/** The head of a request that is cut off from what follows in a doubtful way, and what follows. */
const post = (headers: string, rest = ''): string =>
  `POST /signals HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n${rest}${hidden()}`;

describe('request smuggling', () => {
  it('what would be smuggled does trade when it is sent openly', async () => {
    const before = await countTrades();
    expect(statuses(await exchange(hidden()))).toEqual([200]);
    expect(await countTrades()).toBe(before + 1);
  });

  it.each<[string, () => string]>([
    ['a length and chunks', () => post(`Content-Length: 5\r\nTransfer-Encoding: chunked`, `0\r\n\r\n`)],
    ['chunks and a length', () => post(`Transfer-Encoding: chunked\r\nContent-Length: 5`, `0\r\n\r\n`)],
    ['two lengths', () => post('Content-Length: 0\r\nContent-Length: 9')],
    ['two equal lengths', () => post('Content-Length: 0\r\nContent-Length: 0')],
    ['a list of lengths', () => post('Content-Length: 0, 0')],
    ['a length with a sign', () => post('Content-Length: +0')],
    ['a negative length', () => post('Content-Length: -1')],
    ['a length in hexadecimal', () => post('Content-Length: 0x0')],
    ['a length beyond all numbers', () => post(`Content-Length: ${'9'.repeat(30)}`)],
    ['an unknown encoding', () => post('Transfer-Encoding: xchunked', `0\r\n\r\n`)],
    ['chunked that is not last', () => post('Transfer-Encoding: chunked, identity', `0\r\n\r\n`)],
    ['a space before the colon', () => post('Transfer-Encoding : chunked', `0\r\n\r\n`)],
    ['a tab in the encoding', () => post('Transfer-Encoding:\x0bchunked', `0\r\n\r\n`)],
    ['two encodings', () => post('Transfer-Encoding: chunked\r\nTransfer-Encoding: cow', `0\r\n\r\n`)],
    ['a folded header', () => post('X: a\r\n Transfer-Encoding: chunked\r\nContent-Length: 0')],
    ['a header line without CR', () => post('X: a\nContent-Length: 0\nY: b')],
    ['a CR inside a header', () => post('X: a\rContent-Length: 0')],
    ['a NUL inside a header', () => post('X: a\0b\r\nContent-Length: 0')],
    ['a chunk size that is too large', () => post('Transfer-Encoding: chunked', `${'F'.repeat(17)}\r\n`)],
    ['a chunk size with a prefix', () => post('Transfer-Encoding: chunked', `0x0\r\n\r\n`)],
    ['a chunk without its end', () => post('Transfer-Encoding: chunked', `1\r\nabc0\r\n\r\n`)],
    ['a chunk line that ends without CR', () => post('Transfer-Encoding: chunked', `0;x\n\n`)],
  ])('with %s: the connection ends, and nothing is traded', async (_, bytes) => {
    const before = await countTrades();
    const received = await exchange(bytes());
    expect([statuses(received), (await countTrades()) - before]).toEqual([[400], 0]);
  });
});

describe('a request with more headers than Node keeps by itself', () => {
  // Behind the door there is another process: what is left of a body there would be a request with our word for its sender.
  it.each(['/signals', '/api/scripts'])('is read whole: one answer to %s, and nothing is traded', async (path) => {
    const before = await countTrades();
    const rest = hidden();
    const head = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${'a:\r\n'.repeat(1500)}Content-Length: ${rest.length}\r\n\r\n`;
    const received = statuses(await exchange(head + rest, 1000));
    expect(received).toHaveLength(1);
    expect(received).not.toEqual([431]);
    expect(await countTrades()).toBe(before);
  });
});

describe('header injection', () => {
  it.each([
    '/health%0d%0aSet-Cookie:%20a=b',
    '/health?x=%0d%0aSet-Cookie:%20a=b',
    '/app/%0d%0aSet-Cookie:%20a=b',
    '/trades/%0d%0aSet-Cookie:%20a=b',
    '/api/scripts/%0aSet-Cookie:%20a=b',
    '/%E5%98%8A%E5%98%8DSet-Cookie:%20a=b',
  ])('%s puts no header of its own into the answer', async (path) => {
    const received = await exchange(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(statuses(received)).toHaveLength(1);
    expect(received.split('\r\n\r\n')[0]).not.toMatch(/^set-cookie/im);
  });

  it.each(['X-Request-Id', 'Origin', 'X-Forwarded-For', 'X-Forwarded-Proto', 'X-Forwarded-Host', 'Referer'])(
    'nothing of %s comes back as it was sent',
    async (name) => {
      const received = await exchange(
        `GET /health HTTP/1.1\r\nHost: localhost\r\n${name}: http://evil.example/injected\r\nConnection: close\r\n\r\n`,
      );
      expect(received.split('\r\n\r\n')[0]).not.toContain('injected');
    },
  );
});

describe('path traversal', () => {
  it.each([
    '/../package.json',
    '/app/../../package.json',
    '/app/../../../../../../etc/passwd',
    '/app/..%2f..%2fpackage.json',
    '/app/%2e%2e/%2e%2e/package.json',
    '/app/%252e%252e%252fpackage.json',
    '/app/..%5c..%5cpackage.json',
    '/app/..\\..\\package.json',
    '/app//etc/passwd',
    '//etc/passwd',
    '/app/%00index.js',
    '/app/%c0%ae%c0%ae/package.json',
    '/service-worker.js/../../package.json',
    '/docs/../../../etc/passwd',
    'http://localhost/../package.json',
    'file:///etc/passwd',
  ])('%s leads to no file', async (path) => {
    const received = await exchange(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect([400, 401, 404]).toContain(statuses(received)[0]);
    expect(received).not.toMatch(/root:x:0|"dependencies"|signalbox\.mjs/);
  });
});

describe('log injection', () => {
  it('whatever is sent, a line of the log is one line of JSON without control characters', async () => {
    const evil = '\\n{"level":"error","msg":"forged"}';
    const lines = [
      `GET /forged%0a%7B%22level%22:%22error%22%7D HTTP/1.1\r\nHost: localhost`,
      `GET /%1b%5b31mred%1b%5b0m HTTP/1.1\r\nHost: localhost`,
      `GET /health HTTP/1.1\r\nHost: localhost\r\nUser-Agent: a${evil}\x1b[2J`,
      `GET /health HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 1.2.3.4\x1b[31m, ${evil}`,
      `GET /trades?symbol=%0d%0aforged HTTP/1.1\r\nHost: localhost`,
    ];
    for (const line of lines) await exchange(`${line}\r\nConnection: close\r\n\r\n`);
    for (const symbol of ['A\nB', 'A\u2028B', '\u001b[31m'])
      await fetch(`${program.url}/webhook`, {
        ...{ method: 'POST', body: JSON.stringify({ apiKey: symbol, exchange: symbol, action: 'LONG', symbol }) },
      });
    await expect.poll(() => program.output()).toMatch(/"path":"\/webhook"/);
    const log = program.output().split('\n').slice(1);
    const first = log.findIndex((line) => line.startsWith('{"level"'));
    expect(first).toBeGreaterThan(0);
    for (const line of log.slice(first).filter((each) => each !== '')) {
      expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      const { level, msg } = JSON.parse(line);
      expect([level, msg]).not.toEqual(['error', 'forged']);
    }
  });
});

describe('a name that leads here from elsewhere (DNS rebinding)', () => {
  const INTERNAL = ['/trades', '/positions', '/signals', '/admin/keys', '/admin/audit', '/metrics', '/wallet/balances'];

  it.each(INTERNAL)('%s is closed to a page of evil.example that leads to this machine', async (path) => {
    for (const host of ['evil.example', 'evil.example:8787', 'localhost.evil.example', '127.0.0.1.evil.example', '']) {
      const received = await exchange(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      expect([host, statuses(received)[0]]).toEqual([
        host,
        expect.toSatisfy((status) => [400, 401, 403, 404].includes(status)),
      ]);
    }
  });

  it('a second Host header does not help, whichever comes first', async () => {
    for (const [first, second] of [
      ['localhost', 'evil.example'],
      ['evil.example', 'localhost'],
    ]) {
      const received = await exchange(
        `GET /trades HTTP/1.1\r\nHost: ${first}\r\nHost: ${second}\r\nConnection: close\r\n\r\n`,
      );
      expect(statuses(received)).toEqual([401]);
    }
  });
});
