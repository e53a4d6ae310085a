// Requests and WebSockets that are passed on to another process: nothing changes on the way but the connection.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PEER_HEADER, passedOrigin } from './passed-on.ts';
import { createReverseProxy, type ReverseProxyOptions } from './reverse-proxy.ts';
import { type Listening, listen } from './server.ts';

let folder: string;
let behind: Server | undefined;
let door: Listening;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  const proxy = createReverseProxy(doorParts());
  door = await listen({ host: '127.0.0.1', port: 0, listener: proxy.serve, sockets: proxy });
});

const doorParts = (): ReverseProxyOptions => ({
  target: () => join(folder, 'behind.sock'),
  vouchFor: ({ url }) => url === '/owner',
  onUnavailable: (_, outgoing) => outgoing.writeHead(503).end('away'),
  onSocketUnavailable: (_, socket) => void socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n'),
});

afterEach(async () => {
  behind?.closeAllConnections();
  behind?.close();
  behind = undefined;
  await door.stop(1000);
  rmSync(folder, { recursive: true });
});

const listenBehind = (listener: RequestListener): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer(listener);
    behind = server;
    server.listen(join(folder, 'behind.sock'), () => resolve(server));
  });

async function textOf(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

/** Writes these bytes to the door and collects what comes back until the connection ends. */
function talk(text: string): { readonly socket: Socket; readonly heard: Promise<string> } {
  const socket = connect(door.port, '127.0.0.1', () => socket.write(text));
  let got = '';
  socket.on('data', (piece: Buffer) => {
    got += piece.toString();
  });
  const heard = new Promise<string>((resolve) => {
    socket.on('error', () => {});
    socket.on('close', () => resolve(got));
  });
  return { socket, heard };
}

const chunked = (text: string): string =>
  `Transfer-Encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

describe('a request', () => {
  test('arrives with its method, target, headers and body, and its answer comes back whole', async () => {
    await listenBehind(async (incoming, outgoing) => {
      const { method, url, headers } = incoming;
      const body = await textOf(incoming);
      outgoing.writeHead(207, 'All Well', { 'x-one': 'a', 'set-cookie': ['b=1', 'c=2'] });
      outgoing.end(JSON.stringify({ method, url, kind: headers['content-type'], host: headers.host, body }));
    });
    const answer = await fetch(`${door.url}/run/%20?a=1&a=2`, {
      method: 'PUT',
      headers: { 'content-type': 'text/x' },
      body: 'x'.repeat(3_000_000),
    });
    expect([answer.status, answer.statusText, answer.headers.get('x-one')]).toEqual([207, 'All Well', 'a']);
    expect(answer.headers.getSetCookie()).toEqual(['b=1', 'c=2']);
    const told = (await answer.json()) as { body: string };
    expect(told.body).toHaveLength(3_000_000);
    expect({ ...told, body: '' }).toEqual({
      ...{ method: 'PUT', url: '/run/%20?a=1&a=2', kind: 'text/x', body: '' },
      host: new URL(door.url).host,
    });
  });

  test('carries the address of its real sender, whatever the sender writes there', async () => {
    await listenBehind((incoming, outgoing) => outgoing.end(JSON.stringify(passedOrigin(incoming))));
    const answer = await fetch(door.url, { headers: { [PEER_HEADER]: '1.1 203.0.113.9' } });
    expect(await answer.json()).toEqual({ peer: '127.0.0.1', httpVersion: '1.1', isVouched: false });
    const old = talk(`GET / HTTP/1.0\r\nX-Signalbox-Peer: 1.1 ::1\r\n\r\n`);
    expect(await old.heard).toContain('{"peer":"127.0.0.1","httpVersion":"1.0","isVouched":false}');
  });

  test('is vouched for by the door alone, and its cookies stay there', async () => {
    await listenBehind((incoming, outgoing) =>
      outgoing.end(JSON.stringify({ ...passedOrigin(incoming), cookie: incoming.headers.cookie })),
    );
    const headers = { [PEER_HEADER]: '1.1 127.0.0.1 owner', cookie: 'signalbox_session=a.b' };
    expect(await (await fetch(door.url, { headers })).json()).toEqual({
      ...{ peer: '127.0.0.1', httpVersion: '1.1', isVouched: false },
    });
    expect(await (await fetch(`${door.url}/owner`, { headers })).json()).toEqual({
      ...{ peer: '127.0.0.1', httpVersion: '1.1', isVouched: true },
    });
  });

  test('is not passed on for a sender who has left: nobody could say any more from where it came', async () => {
    const peers: (string | undefined)[] = [];
    await listenBehind((incoming, outgoing) => {
      peers.push(passedOrigin(incoming).peer);
      outgoing.end('answered');
    });
    for (let round = 0; round < 20; round += 1)
      await new Promise<void>((resolve) => {
        const socket = connect(door.port, '127.0.0.1', () => {
          socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx');
          // The request is there, and by then its connection has no other end.
          socket.resetAndDestroy();
        });
        socket.on('close', () => resolve());
      });
    await (await fetch(door.url)).text();
    expect(new Set(peers)).toEqual(new Set(['127.0.0.1']));
  });

  test('is answered 503 while nobody is there, and also when the other side dies before its answer', async () => {
    expect((await fetch(door.url)).status).toBe(503);
    await listenBehind((incoming) => incoming.socket.destroy());
    expect((await fetch(door.url, { method: 'POST', body: 'x'.repeat(1_000_000) })).status).toBe(503);
  });

  test('whose answer breaks off is cut off: half an answer never looks whole', async () => {
    await listenBehind((incoming, outgoing) => {
      outgoing.writeHead(200);
      outgoing.write('half', () => setTimeout(() => incoming.socket.destroy(), 50));
    });
    await expect(fetch(door.url).then((answer) => answer.text())).rejects.toThrow();
  });

  test('that its client gives up is given up behind too', async () => {
    const gaveUp = new Promise<string>((resolve) => {
      void listenBehind((_, outgoing) => void outgoing.on('close', () => resolve('closed'))).then(() => {
        const asked = request(door.url).on('error', () => {});
        asked.end();
        setTimeout(() => asked.destroy(), 100);
      });
    });
    await expect(gaveUp).resolves.toBe('closed');
  });

  test('that waits for "continue" hears it from behind, and an early refusal without sending its body', async () => {
    const server = await listenBehind(async (incoming, outgoing) => void outgoing.end(await textOf(incoming)));
    server.on('checkContinue', (incoming, outgoing) => {
      if (incoming.url === '/no') return outgoing.writeHead(413).end('no');
      outgoing.writeContinue();
      server.emit('request', incoming, outgoing);
    });
    const head = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`;
    const yes = talk(head('/yes'));
    await new Promise<void>((resolve) => yes.socket.once('data', () => resolve()));
    yes.socket.write('body');
    expect(await yes.heard).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK[\s\S]*body/);
    expect(await talk(head('/no')).heard).toMatch(/^HTTP\/1\.1 413/);
  });

  test('that is refused before its body was read leaves the connection ready for the next one', async () => {
    await listenBehind((incoming, outgoing) => {
      if (incoming.method === 'POST') outgoing.writeHead(401).end('no');
      else outgoing.setHeader('connection', 'close').end('next');
    });
    const size = 2_000_000;
    const head = (method: string) => `${method} / HTTP/1.1\r\nHost: x\r\nContent-Length: `;
    const { heard } = talk(`${head('POST')}${size}\r\n\r\n${'x'.repeat(size)}${head('GET')}0\r\n\r\n`);
    expect(await heard).toMatch(/^HTTP\/1.1 401 .*HTTP\/1.1 200 .*next/s);
  });

  // Node reads a thousand headers, and an announcement behind them must not be lost: the body would be a request of its own behind.
  test.each([
    ['GET', 990],
    ['GET', 1100],
    ['DELETE', 990],
    ['DELETE', 1100],
    ['POST', 990],
    ['POST', 1100],
  ])(
    '%s whose body is announced behind %i headers is one request or none, and nothing in it is a second',
    async (method, count) => {
      const seen: string[] = [];
      await listenBehind(async (incoming, outgoing) => {
        const text = await textOf(incoming);
        seen.push(`${incoming.method} ${incoming.url} ${text.length} ${passedOrigin(incoming).isVouched}`);
        outgoing.setHeader('connection', 'close').end('done');
      });
      const inner = `POST /inner HTTP/1.1\r\nHost: x\r\n${PEER_HEADER}: 1.1 127.0.0.1 owner\r\nContent-Length: 0\r\n\r\n`;
      for (const framing of [`Content-Length: ${inner.length}\r\n\r\n${inner}`, chunked(inner)]) {
        seen.length = 0;
        await talk(`${method} /outer HTTP/1.1\r\nHost: x\r\n${'a:\r\n'.repeat(count)}${framing}`).heard;
        expect(seen).toEqual(count < 1000 ? [`${method} /outer ${inner.length} false`] : []);
      }
    },
  );

  test('whose head says nothing of its body is passed on without one: the other side would read it as another request', async () => {
    const seen: string[] = [];
    const smuggled = 'POST /smuggled HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n';
    await listenBehind((incoming, outgoing) => {
      seen.push(`${incoming.method} ${incoming.url}`);
      outgoing.end('answered');
    });
    const blind = createReverseProxy(doorParts());
    const serve: RequestListener = (incoming, outgoing) => {
      // As releases of Node do it that leave headers out.
      delete incoming.headers['content-length'];
      incoming.rawHeaders.splice(incoming.rawHeaders.indexOf('Content-Length'), 2);
      blind.serve(incoming, outgoing);
    };
    const blindDoor = await listen({ host: '127.0.0.1', port: 0, listener: serve });
    for (const method of ['GET', 'DELETE', 'OPTIONS', 'POST', 'PUT']) {
      const socket = connect(blindDoor.port, '127.0.0.1');
      const end = new Promise((resolve) => socket.on('close', resolve));
      socket.on('data', () => setTimeout(() => socket.destroy(), 50));
      socket.write(`${method} / HTTP/1.1\r\nHost: x\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`);
      await end;
    }
    await blindDoor.stop(1000);
    expect(seen).toEqual(['GET /', 'DELETE /', 'OPTIONS /', 'POST /', 'PUT /']);
  });

  test('of many on one connection are answered in their order', async () => {
    await listenBehind((incoming, outgoing) => {
      const waitMs = incoming.url === '/0' ? 100 : 0;
      setTimeout(() => outgoing.end(`answer ${incoming.url};`), waitMs);
    });
    const get = (path: string, end = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${end}\r\n`;
    const { heard } = talk(get('/0') + get('/1') + get('/2', 'Connection: close\r\n'));
    expect((await heard).match(/answer \/\d;/g)).toEqual(['answer /0;', 'answer /1;', 'answer /2;']);
  });
});

describe('a WebSocket', () => {
  const HANDSHAKE = `GET /ws?key=1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${PEER_HEADER}: lie\r\n\r\n`;

  test('is a tunnel in both directions that ends with either side', async () => {
    const server = await listenBehind(() => {});
    const heads: string[] = [];
    server.on('upgrade', (incoming, socket, head) => {
      heads.push(`${incoming.url} ${incoming.headers[PEER_HEADER]} ${head}`);
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
      socket.on('data', (piece: Buffer) => {
        if (piece.toString() === 'bye') socket.destroy();
        else socket.write(`heard ${piece}`);
      });
    });
    const { socket, heard } = talk(`${HANDSHAKE}first`);
    const next = () => new Promise<string>((resolve) => socket.once('data', (piece) => resolve(piece.toString())));
    expect(await next()).toContain('101');
    expect(heads).toEqual(['/ws?key=1 1.1 127.0.0.1 first']);
    socket.write('hello');
    expect(await next()).toBe('heard hello');
    socket.write('bye');
    expect(await heard).toContain('heard hello');
  });

  test('is refused while nobody is there', async () => {
    expect(await talk(HANDSHAKE).heard).toMatch(/^HTTP\/1\.1 503/);
  });

  test('of a server that stops is waited for, and cut off after the time', async () => {
    const server = await listenBehind(() => {});
    server.on('upgrade', (_, socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
    const { socket, heard } = talk(HANDSHAKE);
    await new Promise<void>((resolve) => socket.once('data', () => resolve()));
    await door.stop(50);
    expect(await heard).toMatch(/^HTTP\/1\.1 101/);
  });
});
