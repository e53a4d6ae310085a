// Which requests the fast lane may take, at every boundary, and how it reads a header.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { headerValue, readPlainRequest } from './request-head.ts';

const roads = new Map([
  ['/webhook', { limitBytes: 10 }],
  ['/webhook/tradingview', { limitBytes: 20 }],
]);

const read = (text: string) => readPlainRequest(Buffer.from(text, 'latin1'), roads);
const post = (fields: string, body = 'abc', line = 'POST /webhook HTTP/1.1') =>
  read(`${line}\r\nHost: a\r\nContent-Length: 3\r\n${fields}\r\n${body}`);
const line = (text: string) => post('', 'abc', text);

describe('a plain request', () => {
  test('is taken whole', () => {
    const request = post('X-Any: thing\r\n');
    expect(request?.road).toBe(roads.get('/webhook'));
    expect(Buffer.from(request?.body ?? []).toString()).toBe('abc');
    expect(request?.isForwarded).toBe(false);
  });

  test.each(['POST /webhook?a=1&b=%20 HTTP/1.1', 'POST /webhook? HTTP/1.1', 'POST /webhook/tradingview HTTP/1.1'])(
    'may say %s',
    (text) => {
      expect(line(text)).toBeDefined();
    },
  );

  test.each([
    'connection: keep-alive\r\n',
    'Connection:Keep-Alive\r\n',
    'X-Empty:\r\n',
    'X-Tab:\ta\t\r\n',
    "x!#$%&'*+.^_`|~-1: y\r\n",
  ])('may have the field %j', (field) => {
    expect(post(field)).toBeDefined();
  });

  test('tells whether it was forwarded', () => {
    expect(post('x-forwarded-FOR: 192.0.2.1\r\n')?.isForwarded).toBe(true);
    expect(post('x-forwarded-for-x: 192.0.2.1\r\n')?.isForwarded).toBe(false);
  });

  test('may be empty', () => {
    expect(read('POST /webhook HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n')?.body).toHaveLength(0);
  });
});

describe('everything else is left to node', () => {
  test.each([
    'GET /webhook HTTP/1.1',
    'post /webhook HTTP/1.1',
    'POST /webhook HTTP/1.0',
    'POST /webhook HTTP/2.0',
    'POST  /webhook HTTP/1.1',
    'POST /webhook  HTTP/1.1',
    'POST /webhook HTTP/1.1 ',
    ' POST /webhook HTTP/1.1',
    '\r\nPOST /webhook HTTP/1.1',
    'POST /webhook/ HTTP/1.1',
    'POST /other HTTP/1.1',
    'POST /%77ebhook HTTP/1.1',
    'POST http://a/webhook HTTP/1.1',
    'POST /webhook#a HTTP/1.1',
    'POST /webhook?a#b HTTP/1.1',
    'POST /webhook?a"b HTTP/1.1',
    'POST /webhook?é HTTP/1.1',
    'POST * HTTP/1.1',
  ])('the request line %j', (text) => {
    expect(line(text)).toBeUndefined();
  });

  test.each([
    'Transfer-Encoding: chunked\r\n',
    'TRANSFER-ENCODING:\r\n',
    'Expect: 100-continue\r\n',
    'Upgrade: websocket\r\n',
    'Trailer: x\r\n',
    'Connection: close\r\n',
    'Connection: keep-alive, upgrade\r\n',
    'Connection: keep-alive \r\n',
    'Connection: keep-alive\r\nConnection: keep-alive\r\n',
    'Proxy-Connection: close\r\n',
    'Host: b\r\n',
    'Content-Length: 3\r\n',
    'content-length: 4\r\n',
    'X : y\r\n',
    ': y\r\n',
    'X\r\n',
    ' folded: y\r\n',
    'X: y\r\n folded\r\n',
    'X: y\n',
    'X: a\rb\r\n',
    'X: a\nb\r\n',
    'X: a\0b\r\n',
    'X: \x7f\r\n',
    'X: \xe9\r\n',
    'X(: y\r\n',
  ])('the field %j', (field) => {
    expect(post(field)).toBeUndefined();
  });

  test.each(['', '+3', '-3', '3 ', '3,3', '0x3', '3.0', '1e0', '３', '9999999999'])('the length %j', (length) => {
    expect(read(`POST /webhook HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\nabc`)).toBeUndefined();
  });

  test('no host, and no length', () => {
    expect(read('POST /webhook HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc')).toBeUndefined();
    expect(read('POST /webhook HTTP/1.1\r\nHost: a\r\n\r\n')).toBeUndefined();
    expect(read('POST /webhook HTTP/1.1\r\n\r\n')).toBeUndefined();
  });

  test('a part of a request, and more than one', () => {
    const whole = 'POST /webhook HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc';
    for (let end = 0; end < whole.length; end += 1) expect(read(whole.slice(0, end))).toBeUndefined();
    expect(read(whole)).toBeDefined();
    expect(read(`${whole}x`)).toBeUndefined();
    expect(read(whole + whole)).toBeUndefined();
  });
});

describe('limits', () => {
  const sized = (bytes: number, path: string) =>
    read(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`);

  test('each door has its own for the body', () => {
    expect(sized(10, '/webhook')).toBeDefined();
    expect(sized(11, '/webhook')).toBeUndefined();
    expect(sized(20, '/webhook/tradingview')).toBeDefined();
    expect(sized(21, '/webhook/tradingview')).toBeUndefined();
  });

  test('64 fields are plain, 65 are not', () => {
    expect(post('a:\r\n'.repeat(62))).toBeDefined();
    expect(post('a:\r\n'.repeat(63))).toBeUndefined();
  });

  test('a head of 16 KiB is plain, one byte more is not', () => {
    const bare = post('')?.head.length ?? 0;
    const filled = (headBytes: number) => post(`X: ${'x'.repeat(headBytes - bare - 5)}\r\n`);
    expect(filled(16_384)?.head).toHaveLength(16_384);
    expect(filled(16_385)).toBeUndefined();
  });
});

describe('a header', () => {
  const head = (fields: string) => `POST /webhook HTTP/1.1\r\n${fields}\r\n`;

  test('is found by its name in any case, without blanks around it', () => {
    expect(headerValue(head('A: 1\r\nx-two: \t two words \t\r\n'), 'X-Two')).toBe('two words');
    expect(headerValue(head('A: 1\r\n'), 'b')).toBeUndefined();
    expect(headerValue(head('A:\r\n'), 'a')).toBe('');
    expect(headerValue(head('Aa: 1\r\n'), 'a')).toBeUndefined();
  });

  test('is joined when repeated, or the first counts', () => {
    expect(headerValue(head('A: 1\r\na: 2\r\n'), 'a')).toBe('1, 2');
    expect(headerValue(head('Cookie: a=1\r\ncookie: b=2\r\n'), 'cookie')).toBe('a=1; b=2');
    expect(headerValue(head('User-Agent: a\r\nUser-Agent: b\r\n'), 'user-agent')).toBe('a');
  });

  test('is never found in the request line or in the value of another', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ -~]{0,20}$/), (value) => {
        expect(headerValue(head(`other: ${value}\r\nlast: wanted: 1\r\n`), 'wanted')).toBeUndefined();
      }),
    );
  });
});
