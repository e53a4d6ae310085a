// The rules of POST /webhook over a real socket: bytes in pieces, pipelined requests, limits of a body.

import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sent } from '../support/gateway.ts';
import { type RunningProcess, startGatewayProcess } from '../support/process.ts';
import {
  expectDuplicateOf,
  expectEnvelope,
  expectFaults,
  expectFilled,
  expectRefusal,
  freshGateway,
  KEY_1,
} from '../webhook/answers.ts';

let program: RunningProcess;
beforeAll(async () => {
  program = await startGatewayProcess({ env: { WEBHOOK_RATE_PER_MINUTE: '0' } });
});
afterAll(() => program.stop());

const signal = (fields: Record<string, unknown> = {}) =>
  JSON.stringify({
    apiKey: program.apiKey,
    exchange: 'mexc',
    action: 'LONG',
    symbol: 'BTCUSDT',
    quantity: 0.0001,
    ...fields,
  });
async function post(body: string | Uint8Array<ArrayBuffer>, path = '/webhook'): Promise<Sent> {
  const response = await fetch(program.url + path, { method: 'POST', body });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Writes raw bytes on one connection and reads until `count` answers are there. */
function raw(text: string, count: number): Promise<{ status: number; body: Record<string, unknown> }[]> {
  const { hostname, port } = new URL(program.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let received = '';
    socket.setTimeout(5000, () => reject(new Error(`too few answers:\n${received}`)));
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const answers = [...received.matchAll(/HTTP\/1\.1 (\d{3})[\s\S]*?\r\n\r\n(\{.*?\})(?=HTTP\/1\.1|$)/g)];
      if (answers.length < count) return;
      socket.destroy();
      resolve(answers.map(([, status, body]) => ({ status: Number(status), body: JSON.parse(body as string) })));
    });
  });
}
const head = (extra: string, path = '/webhook'): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${extra}\r\n\r\n`;
const plain = (body: string): string => `${head(`Content-Length: ${Buffer.byteLength(body)}`)}${body}`;

describe('over a real socket', () => {
  it('a signal is filled, in the same shape', async () => {
    const sent = await post(signal());
    expectFilled(sent);
    expectEnvelope(sent);
    expect(Object.keys(sent.body)).toEqual(['success', 'requestId', 'tradeResult', 'notificationResult']);
  });

  it('refusals have the same shape', async () => {
    expectRefusal(await post(''), 'INVALID_JSON');
    expectRefusal(await post('{"a":1,"a":2}'), 'INVALID_JSON');
    expectRefusal(await post(new Uint8Array([0x7b, 0xff, 0x7d])), 'INVALID_JSON');
    expectFaults(await post('null'), 'body');
    expectFaults(await post(signal({ quantity: 0, symbol: 'A'.repeat(21) })), 'symbol', 'quantity');
    expectRefusal(await post(signal({ apiKey: 'wrong' })), 'AUTHENTICATION_FAILED');
    expectRefusal(await post(signal({ action: 'CLOSE_SHORT' })), 'ORDER_REJECTED', 'tradeResult', 'notificationResult');
    expectRefusal(await post(signal(), '/webhook/'), 'NOT_FOUND');
  });

  it('a socket gets the same headers and the same words as a call inside the process', async () => {
    const gateway = await freshGateway();
    for (const body of ['', '{"quantity":"1"}', ' '.repeat(65_537), '[1']) {
      const [sent, called] = [await post(body), await gateway.request('POST', '/webhook', body)];
      const ours = ({ headers }: Sent) =>
        [...headers].filter(([name]) => !['x-request-id', 'connection', 'date', 'keep-alive'].includes(name));
      expect(ours(sent)).toEqual(ours(called));
      expect({ ...sent.body, requestId: '' }).toEqual({ ...called.body, requestId: '' });
    }
  });

  it('65536 bytes pass and 65537 are 413', async () => {
    const body = signal();
    expectFilled(await post(body + ' '.repeat(65_536 - body.length)));
    expectRefusal(await post(body + ' '.repeat(65_537 - body.length)), 'PAYLOAD_TOO_LARGE');
  });

  it('a connection goes on after a 413', async () => {
    const answers = await raw(plain(' '.repeat(70_000)) + plain(signal()), 2);
    expect(answers.map(({ status }) => status)).toEqual([413, 200]);
  });

  it('pipelined requests are answered in their order', async () => {
    const bodies = [signal(), '{', signal({ quantity: 0 }), signal({ apiKey: 'wrong' }), signal()];
    const answers = await raw(bodies.map(plain).join(''), 5);
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 403, 200]);
  });

  it('a chunked body is read whole, also when a character is cut in two', async () => {
    const bytes = Buffer.from(signal({ note: 'é' }));
    const cut = bytes.indexOf(0xc3) + 1;
    const chunks = [bytes.subarray(0, 10), bytes.subarray(10, cut), bytes.subarray(cut)];
    const coded = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk.toString('latin1')}\r\n`).join('');
    const response = await new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(program.url);
      const socket = connect(Number(port), hostname, () =>
        socket.write(Buffer.from(`${head('Transfer-Encoding: chunked')}${coded}0\r\n\r\n`, 'latin1')),
      );
      socket.on('error', reject);
      socket.once('data', (chunk) => {
        socket.destroy();
        resolve(chunk.toString());
      });
    });
    expect(response).toContain('HTTP/1.1 200');
    expect(response).toContain('"Filled"');
  });

  it('a chunked body beyond the limit is 413', async () => {
    const chunk = `8000\r\n${' '.repeat(0x8000)}\r\n`;
    const [answer] = await raw(`${head('Transfer-Encoding: chunked')}${chunk.repeat(3)}0\r\n\r\n`, 1);
    expect(answer).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
  });

  it('a declared excess is refused before it travels', async () => {
    const [answer] = await raw(head('Content-Length: 100000\r\nExpect: 100-continue'), 1);
    expect(answer).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
  });

  it('50 connections with one idempotencyKey trade once', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => post(signal({ idempotencyKey: KEY_1 }))));
    const winner = all.find(({ status }) => status === 200) as Sent;
    expectFilled(winner);
    const others = all.filter((sent) => sent !== winner);
    expect(others).toHaveLength(49);
    for (const other of others) expectDuplicateOf(other, winner);
  });

  it('protected mode looks at the Host header', async () => {
    const get = (host: string) => raw(`GET /trades HTTP/1.1\r\nHost: ${host}\r\n\r\n`, 1);
    expect((await get('signals.example.com'))[0]).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    expect((await get('localhost'))[0]?.status).toBe(200);
  });

  it('HTTP/1.0, as an old reverse proxy speaks it, is no client of this machine', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(program.url);
      const socket = connect(Number(port), hostname, () =>
        socket.write('GET /trades HTTP/1.0\r\nHost: localhost\r\n\r\n'),
      );
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(received));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toMatch(/Speak HTTP\/1\.1.*INTERNAL_TOKEN/);
  });

  it('as many requests as may wait for the largest answer, read by nobody, cost no memory, and others are served', async () => {
    const residentBytes = async (): Promise<number> =>
      Number(
        /^process_resident_memory_bytes\{process="trading"\} (\S+)/m.exec(
          await (await fetch(`${program.url}/metrics`)).text(),
        )?.[1],
      );
    await (await fetch(`${program.url}/openapi.json`)).arrayBuffer();
    const before = await residentBytes();
    const { hostname, port } = new URL(program.url);
    const request = 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const greedy = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = connect(Number(port), hostname);
        socket.on('error', () => {});
        socket.pause();
        socket.write(request.repeat(101));
        return socket;
      }),
    );
    for (let i = 0; i < 20; i += 1) expect((await fetch(`${program.url}/health`)).status).toBe(200);
    expectFilled(await post(signal()));
    // Unbounded, it would be 101 answers of 300 KB and more for each of the twenty.
    expect((await residentBytes()) - before).toBeLessThan(150 * 1024 * 1024);
    for (const socket of greedy) socket.destroy();
  });

  it('more pipelined requests than may wait close the connection, and others are served', async () => {
    const { hostname, port } = new URL(program.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(50_000));
    await closed;
    expect((await fetch(`${program.url}/health`)).status).toBe(200);
  });

  it('thirty wrong keys shut the door for this address', async () => {
    let last = await post(signal({ apiKey: 'wrong' }));
    for (let i = 0; i < 40 && last.status === 403; i++) last = await post(signal({ apiKey: 'wrong' }));
    expectRefusal(last, 'TOO_MANY_FAILED_AUTHENTICATIONS');
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });
});
