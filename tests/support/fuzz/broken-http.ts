// Bytes that are almost HTTP: wrong lengths, wrong chunks, requests in one another, heads without end.

import type { Random } from '../random.ts';
import type { HttpRequest } from './http-requests.ts';

/** A request as bytes, with something wrong in how it is written. */
export function brokenHttp(request: HttpRequest, random: Random): Buffer {
  const body = Buffer.from(request.body ?? '');
  const lines = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  const first = `${request.method} ${request.target.replace(/[^\x21-\x7e]/g, '')} HTTP/1.1`;
  const bytes = random.of([
    () => message(first, [...lines, `content-length: ${body.length}`], body),
    () => message(first, [...lines, `content-length: ${wrongLength(body.length, random)}`], body),
    () => message(first, [...lines, 'content-length: 3', `content-length: ${body.length}`], body),
    () => message(first, [...lines, `content-length: ${body.length}`, 'transfer-encoding: chunked'], body),
    () =>
      message(
        first,
        [...lines, `transfer-encoding: ${random.of(['chunked, chunked', 'x', 'gzip, chunked', '\u000bchunked'])}`],
        body,
      ),
    () => message(first, [...lines, 'transfer-encoding: chunked'], chunks(body, random)),
    () => message(oddFirstLine(request, random), lines, body),
    () => message(first, [...lines, ...oddLines(random)], body),
    () =>
      message(
        first,
        lines.filter((line) => !line.startsWith('host:')),
        body,
      ),
    () => Buffer.from(`${first}\n${lines.join('\n')}\ncontent-length: ${body.length}\n\n${body}`),
    () =>
      Buffer.concat(
        Array(random.between(2, 20)).fill(message(first, [...lines, `content-length: ${body.length}`], body)),
      ),
    () => message(first, Array(random.between(100, 3000)).fill('x-many: 1'), body),
    () => message(first, [`x-long: ${'a'.repeat(random.between(10_000, 100_000))}`], body),
    () => noise(random, random.between(1, 400)),
    () => Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    () => Buffer.from('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'latin1'),
  ])();
  // Cut off, or with a bit turned over, now and then.
  if (random.chance(10)) return bytes.subarray(0, random.between(1, bytes.length));
  if (random.chance(10)) return turned(bytes, random);
  return bytes;
}

const message = (first: string, lines: readonly string[], body: Buffer): Buffer =>
  Buffer.concat([Buffer.from([first, ...lines, '', ''].join('\r\n'), 'latin1'), body]);

const wrongLength = (length: number, random: Random): string | number =>
  random.of([
    length + 1,
    length + 1000,
    Math.max(0, length - 1),
    -1,
    `+${length}`,
    `0x${length}`,
    `${length}, ${length}`,
    1e21,
    '',
    'a',
  ]);

function chunks(body: Buffer, random: Random): Buffer {
  const size = random.of([
    body.length.toString(16),
    `${body.length.toString(16)};ext=1`,
    'fffffffff',
    '-1',
    '',
    'g',
    '0'.repeat(50),
  ]);
  const end = random.of(['0\r\n\r\n', '0\r\nx-trailer: 1\r\n\r\n', '', '0\r\n', '00000\r\n\r\n']);
  return Buffer.concat([Buffer.from(`${size}\r\n`), body, Buffer.from(`\r\n${end}`)]);
}

function oddFirstLine({ method, target }: HttpRequest, random: Random): string {
  return random.of([
    `${method} ${target}`,
    `${method} ${target} HTTP/1.0`,
    `${method} ${target} HTTP/9.9`,
    `${method}  ${target}  HTTP/1.1`,
    `${method} http://other.example${target} HTTP/1.1`,
    `${method} * HTTP/1.1`,
    `CONNECT localhost:1 HTTP/1.1`,
    `${method} //${target} HTTP/1.1`,
    `${method} ${target}#x HTTP/1.1`,
    `${method} ${target}\t HTTP/1.1`,
    `${method.toLowerCase()} ${target} HTTP/1.1`,
    `${'A'.repeat(random.between(1, 300))} ${target} HTTP/1.1`,
    `${method} /${'a'.repeat(random.between(1, 40_000))} HTTP/1.1`,
    `${method} ${target}\x00 HTTP/1.1`,
    `${method} \\..\\ HTTP/1.1`,
    `${method} ? HTTP/1.1`,
  ]);
}

const oddLines = (random: Random): readonly string[] =>
  random.of([
    ['x-folded: a', ' b'],
    ['x-no-colon'],
    [': no name'],
    ['x-nul: a\0b'],
    ['x-latin: \xe9\xff'],
    ['x space: 1'],
    ['host: a', 'host: b'],
    ['connection: upgrade', 'upgrade: h2c', 'http2-settings: AAMAAABkAAQAAP__'],
    ['connection: close, keep-alive, x'],
    ['expect: 200-maybe'],
    [`x-forwarded-for: ${','.repeat(500)}`],
    [`cookie: ${'a=b;'.repeat(500)}`],
  ]);

const noise = (random: Random, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => random.between(0, 255)));

function turned(bytes: Buffer, random: Random): Buffer {
  const made = Buffer.from(bytes);
  const at = random.between(0, made.length - 1);
  made[at] = (made[at] ?? 0) ^ (1 << random.between(0, 7));
  return made;
}
