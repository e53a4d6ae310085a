// Listening, limits and the stop that drains.
import { request } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { peerOfSocket } from './peers.ts';
import { listen, type Sockets } from './server.ts';
import { rawClient } from './testing/raw-client.ts';

const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

function serve(delayMs = 0, host = '127.0.0.1') {
  return listen({
    host,
    port: 0,
    listener: async (incoming, outgoing) => {
      incoming.resume();
      if (delayMs > 0) await wait(delayMs);
      outgoing.end('done');
    },
  });
}

describe('a server', () => {
  test('tells its port and address', async () => {
    const server = await serve();
    expect(server.port).toBeGreaterThan(0);
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(await (await fetch(server.url)).text()).toBe('done');
    await server.stop(1000);
  });

  test('says which port is in use and what to do', async () => {
    const first = await serve();
    const second = listen({ host: '127.0.0.1', port: first.port, listener: () => {} });
    await expect(second).rejects.toThrow(`Port ${first.port} on 127.0.0.1 is in use`);
    await expect(second).rejects.toThrow(/PORT=\d+/);
    await first.stop(0);
  });

  test('says when the machine has no such address', async () => {
    await expect(serve(0, '192.0.2.1')).rejects.toThrow(/HOST=127\.0\.0\.1/);
  });

  test.each([
    ['NONSENSE\r\n\r\n', '400 Bad Request'],
    ['GET / HTTP/1.1\r\nBad Header: x\r\n\r\n', '400 Bad Request'],
    ['GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', '400 Bad Request'],
    [`GET / HTTP/1.1\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`, '431 Request Header Fields Too Large'],
  ])('answers malformed HTTP and closes (%#)', async (text, status) => {
    const server = await serve();
    const client = rawClient(server.port);
    client.send(text);
    expect(await client.closed()).toBe(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    await server.stop(1000);
  });

  test('takes no more connections than it may', async () => {
    const server = await listen({
      host: '127.0.0.1',
      port: 0,
      maxConnections: 1,
      listener: (_, out) => out.end('done'),
    });
    const first = rawClient(server.port);
    first.send(GET);
    expect(await first.until(/done/)).toContain('200 OK');
    const second = rawClient(server.port);
    second.send(GET);
    expect(await second.closed()).toBe('');
    await server.stop(0);
  });
});

describe('a connection', () => {
  test('goes to whoever is in front, before a byte of it is read, and is served when that one says so', async () => {
    const seen: string[] = [];
    const server = await listen({
      ...{ host: '127.0.0.1', port: 0 },
      listener: (incoming, out) => out.end(`${incoming.url} `),
      inFront(socket, serve) {
        socket.once('data', (bytes: Buffer) => {
          seen.push(bytes.toString());
          if (seen.length === 2) return void socket.end('mine');
          socket.pause();
          socket.unshift(bytes);
          serve();
          process.nextTick(() => socket.resume());
        });
      },
    });
    const first = rawClient(server.port);
    first.send(GET.replace('/', '/a'));
    expect(await first.until(/\/a $/)).toContain('200 OK');
    first.send(GET.replace('/', '/b') + GET.replace('/', '/c'));
    expect(await first.until(/\/c $/)).toMatch(/\/b HTTP/);
    const second = rawClient(server.port);
    second.send(GET);
    expect(await second.closed()).toBe('mine');
    await server.stop(1000);
  });

  test('that an upgrade has left is served as one of the client that is told', async () => {
    const server = await listen({
      ...{ host: '127.0.0.1', port: 0 },
      listener: (incoming, out) => out.end(`${incoming.url} of ${peerOfSocket(incoming.socket)} `),
      sockets: {
        takes: ({ headers }) => headers.upgrade === 'bytes',
        onUpgrade: (_, socket) => {
          socket.write('now ');
          server.adopt(socket as Socket, '203.0.113.7');
        },
        stop: async () => {},
      },
    });
    const client = rawClient(server.port);
    client.send(GET);
    expect(await client.until(/of/)).toContain('/ of 127.0.0.1');
    client.send('GET /up HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: bytes\r\n\r\n');
    await client.until(/now $/);
    client.send(GET.replace('/', '/a') + GET.replace('/', '/b'));
    expect(await client.until(/\/b of/)).toMatch(/\/a of 203.0.113.7 .*\/b of 203.0.113.7/s);
    // It is a connection like any other, also for what is malformed.
    client.send('NONSENSE\r\n\r\n');
    expect(await client.closed()).toMatch(/400 Bad Request/);
    // A WebSocket is no such upgrade here, so it is answered as if unasked.
    const plain = rawClient(server.port);
    plain.send('GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    expect(await plain.closed()).toContain('/ws of 127.0.0.1');
    await server.stop(1000);
  });

  test('that an upgrade has left may break without anybody who listens, and the process lives', async () => {
    let broken: Promise<unknown> | undefined;
    const server = await listen({
      ...{ host: '127.0.0.1', port: 0 },
      listener: (_, out) => out.end('done'),
      sockets: {
        takes: () => true,
        onUpgrade(_, socket) {
          broken = new Promise((resolve) => socket.on('close', resolve));
          // Written to for as long as the other end takes to say that it is gone.
          const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write('x')), 5);
        },
        stop: async () => {},
      },
    });
    const client = rawClient(server.port);
    client.send('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: bytes\r\n\r\n');
    await client.until(/x/);
    client.socket.resetAndDestroy();
    await broken;
    expect(await (await fetch(server.url)).text()).toBe('done');
    await server.stop(1000);
  });

  test('that was adopted is let go by a stop like any other', async () => {
    const server = await listen({
      ...{ host: '127.0.0.1', port: 0 },
      listener: (_, out) => out.end('done'),
      sockets: {
        takes: () => true,
        onUpgrade: (_, socket) => server.adopt(socket as Socket, '203.0.113.7'),
        stop: async () => {},
      },
    });
    const client = rawClient(server.port);
    client.send('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: bytes\r\n\r\n');
    await wait(50);
    client.send(GET);
    await client.until(/done/);
    await Promise.all([server.stop(600_000), client.closed()]);
  });
});

describe('a stop', () => {
  test('closes idle connections at once', async () => {
    const server = await serve();
    const client = rawClient(server.port);
    client.send(GET);
    expect(await client.until(/done/)).toContain('Connection: keep-alive');
    // Who waited for the grace to pass would wait far longer than this test may take.
    await Promise.all([server.stop(600_000), client.closed()]);
  });

  test('answers what is in flight, with Connection: close, and takes nothing new', async () => {
    const server = await serve(100);
    const client = rawClient(server.port);
    client.send(GET);
    await wait(30);
    const stopped = server.stop(10_000);
    expect(server.stop(10_000)).toBe(stopped);
    await expect(fetch(server.url)).rejects.toThrow();
    const answer = await client.closed();
    expect(answer).toContain('Connection: close');
    expect(answer).toContain('done');
    await stopped;
  });

  test('cuts off what does not end in time', async () => {
    const server = await serve(60_000);
    const client = rawClient(server.port);
    client.send(GET);
    await wait(30);
    await server.stop(50);
    expect(await client.closed()).toBe('');
  });

  test('cuts off a connection that never sends a request', async () => {
    const server = await serve();
    const client = rawClient(server.port);
    await wait(30);
    await server.stop(50);
    expect(await client.closed()).toBe('');
  });
});

function serveUpgrades(sockets?: Sockets) {
  return listen({ host: '127.0.0.1', port: 0, listener: (_, out) => out.end('plain'), ...(sockets && { sockets }) });
}

function upgradeTo(protocol: string, url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    request(url, { headers: { Connection: 'Upgrade', Upgrade: protocol } })
      .on('upgrade', (answer) => resolve(answer.statusCode))
      .on('response', (answer) => resolve(answer.resume().statusCode))
      .end();
  });
}

describe('an upgrade', () => {
  const sockets = {
    onUpgrade: (_: unknown, socket: Duplex) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    },
    stop: async () => {},
  };

  test('to a WebSocket is handed to whoever takes it', async () => {
    const server = await serveUpgrades(sockets);
    expect(await upgradeTo('websocket', server.url)).toBe(101);
    expect(await upgradeTo('WebSocket', server.url)).toBe(101);
    await server.stop(0);
  });

  test('to anything else is answered as a plain request', async () => {
    const server = await serveUpgrades(sockets);
    expect(await upgradeTo('h2c', server.url)).toBe(200);
    await server.stop(0);
  });

  test.each([
    ['in the same packet', GET],
    ['nowhere', ''],
  ])(
    'to anything else ends the connection and says so; a request behind it, %s, is not lost unnoticed',
    async (_, next) => {
      const seen: (string | undefined)[] = [];
      const server = await listen({
        host: '127.0.0.1',
        port: 0,
        sockets,
        listener: (incoming, outgoing) => {
          seen.push(incoming.url);
          outgoing.end('done');
        },
      });
      const client = rawClient(server.port);
      client.send(`GET /first HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n${next}`);
      const heard = await client.closed();
      expect(heard).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(heard).toMatch(/\r\nConnection: close\r\n/i);
      expect(seen).toEqual(['/first']);
      await server.stop(0);
    },
  );

  test('is answered as a plain request when nobody takes sockets', async () => {
    const server = await serveUpgrades();
    expect(await upgradeTo('websocket', server.url)).toBe(200);
    await server.stop(0);
  });

  test('ends with the server: the sockets are told when it stops', async () => {
    const told: number[] = [];
    const server = await serveUpgrades({ ...sockets, stop: async (drainMs) => void told.push(drainMs) });
    await server.stop(1234);
    expect(told).toEqual([1234]);
  });
});
