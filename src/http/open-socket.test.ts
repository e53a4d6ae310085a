// The limits of an open WebSocket: floods, slow readers, texts that never end, and peers that are gone.
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { connected, echoRoute, openSockets, until } from './testing/socket-fixture.ts';

describe('too many messages', () => {
  const limits = { messageBurst: 3, messagesPerSecond: 1, closeTimeoutMs: 50 };

  test.each(['text', 'ping'])('of the kind %s close the socket with 1008', async (kind) => {
    const { client, server } = await connected({ limits, nowMs: () => 0 });
    for (let i = 0; i < 4; i += 1) {
      if (kind === 'text') client.ws.send(`${i}`);
      else client.ws.ping();
    }
    const { code, reason } = await client.ended;
    expect(code).toBe(1008);
    expect(reason).toMatch(/^too many (messages|frames) at once; send fewer$/);
    if (kind === 'text') expect(client.texts).toEqual(['0', '1', '2']);
    await server.stop(0);
  });

  test('are no more once the time has brought new room', async () => {
    let nowMs = 0;
    const { client, server } = await connected({ limits, nowMs: () => nowMs });
    for (let i = 0; i < 3; i += 1) {
      client.ws.send('x');
      await client.next();
    }
    nowMs = 1000;
    client.ws.send('y');
    expect(await client.next()).toBe('y');
    client.ws.send('z');
    expect((await client.ended).code).toBe(1008);
    await server.stop(0);
  });

  test('are not read any further: a flood is cut off by the close timer', async () => {
    const echo = echoRoute();
    const opened = await openSockets({
      routes: [echo.route],
      limits,
      nowMs: () => 0,
    });
    const client = await opened.connect();
    // A client that neither answers the close nor stops.
    const raw = Reflect.get(client.ws, '_socket');
    raw.removeAllListeners('data');
    raw.resume();
    const frame = Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x78]);
    raw.write(Buffer.concat(Array.from({ length: 50_000 }, () => frame)));
    await until(() => echo.closed.length === 1);
    expect(opened.lines().at(-1)).toMatchObject({ msg: 'socket closed', code: 1008, messagesIn: 4 });
    await opened.server.stop(0);
  });
});

describe('what waits for a slow client', () => {
  test('is told truly, byte for byte', async () => {
    const echo = echoRoute();
    const { client, server } = await connected({ routes: [echo.route] });
    client.ws.pause();
    const [socket] = echo.sockets;
    if (socket === undefined) throw new Error('no socket');
    expect(socket.bufferedBytes).toBe(0);
    const frame = Buffer.alloc(1024 * 1024, 'x');
    let sent = 0;
    while (socket.bufferedBytes === 0 && sent < 64) {
      socket.sendText(frame);
      sent += 1;
      await wait(1);
    }
    const before = socket.bufferedBytes;
    expect(before).toBeGreaterThan(0);
    socket.sendText(frame);
    socket.sendText(frame);
    // Each frame of this size has ten bytes of head.
    expect(socket.bufferedBytes - before).toBe(2 * (frame.length + 10));
    client.ws.resume();
    await until(() => client.texts.length === sent + 2);
    await until(() => socket.bufferedBytes === 0);
    await server.stop(1000);
  });

  test('has a limit, beyond which the client is closed with 1013', async () => {
    const echo = echoRoute();
    const { client, server, lines } = await connected({
      routes: [echo.route],
      limits: { maxBufferedBytes: 1024 * 1024, closeTimeoutMs: 50 },
    });
    client.ws.pause();
    const frame = Buffer.alloc(1024 * 1024, 'x');
    for (let i = 0; i < 40; i += 1) {
      echo.sockets[0]?.sendText(frame);
      await wait(1);
    }
    await until(() => echo.closed.length === 1);
    expect(lines().at(-1)).toMatchObject({ msg: 'socket closed', code: 1013 });
    client.ws.terminate();
    await server.stop(1000);
  });
});

describe('half a text', () => {
  // A text frame of 1000 bytes of which only some come: fin, text, masked, 16-bit length, mask.
  const half = (bytes: number) =>
    Buffer.concat([Buffer.from([0x81, 0xfe, 0x03, 0xe8, 0, 0, 0, 0]), Buffer.alloc(bytes, 'x')]);
  const rawOf = (client: { ws: object }) => Reflect.get(client.ws, '_socket');

  test('that never ends closes the socket with 1008', async () => {
    let nowMs = 0;
    const { client, server } = await connected({
      limits: { pingIntervalMs: 60, messageTimeoutMs: 1000, closeTimeoutMs: 50 },
      nowMs: () => nowMs,
    });
    rawOf(client).write(half(100));
    await wait(100);
    nowMs = 1001;
    expect(await client.ended).toEqual({
      code: 1008,
      reason: 'a message took too long to arrive; send it in one go',
    });
    await server.stop(0);
  });

  test('is forgotten once it is whole, and pings in between do not count', async () => {
    let nowMs = 0;
    const { client, server } = await connected({
      limits: { pingIntervalMs: 60, messageTimeoutMs: 1000 },
      nowMs: () => nowMs,
    });
    client.ws.send('whole');
    expect(await client.next()).toBe('whole');
    for (let i = 0; i < 5; i += 1) {
      nowMs += 2000;
      client.ws.ping('p');
      await wait(50);
    }
    client.ws.send('still here');
    expect(await client.next()).toBe('still here');
    await server.stop(1000);
  });

  test('has a limit over all sockets: the largest has to go', async () => {
    const { connect, server, sockets } = await connected({ limits: { maxUnfinishedBytes: 1200 } });
    const large = await connect();
    const small = await connect();
    rawOf(large).write(half(800));
    await wait(30);
    rawOf(small).write(half(300));
    await wait(30);
    rawOf(small).write(Buffer.alloc(100, 'x'));
    expect((await large.ended).code).toBe(1006);
    rawOf(small).write(Buffer.alloc(600, 'x'));
    expect(await small.next()).toHaveLength(1000);
    expect(sockets.size).toBe(2);
    await server.stop(1000);
  });

  test('of a socket that ended is not counted any more', async () => {
    const { connect, server, sockets } = await connected({ limits: { maxUnfinishedBytes: 1200 } });
    for (let i = 0; i < 5; i += 1) {
      const client = await connect();
      rawOf(client).write(half(900));
      await wait(10);
      client.ws.terminate();
      await until(() => sockets.size === 1);
    }
    const client = await connect();
    client.ws.send('x'.repeat(1000));
    expect(await client.next()).toHaveLength(1000);
    await server.stop(1000);
  });
});

describe('a peer', () => {
  test('is pinged, and stays as long as it answers', async () => {
    const { client, server, sockets } = await connected({ limits: { pingIntervalMs: 30 } });
    let pings = 0;
    client.ws.on('ping', () => {
      pings += 1;
    });
    await until(() => pings >= 4);
    expect(sockets.size).toBe(1);
    client.ws.close();
    await server.stop(1000);
  });

  test('that gives no sign of life is ended', async () => {
    const echo = echoRoute();
    const { client, server, sockets, lines } = await connected({
      routes: [echo.route],
      limits: { pingIntervalMs: 60 },
    });
    // Its machine is gone: nothing is read and nothing answered.
    client.ws.pause();
    await until(() => sockets.size === 0);
    expect(echo.closed).toEqual([1]);
    expect(lines().at(-1)).toMatchObject({ msg: 'socket closed', code: 1006 });
    client.ws.terminate();
    await server.stop(1000);
  });

  test('that gets its own pings answered with their payload', async () => {
    const { client, server } = await connected();
    const pong = new Promise((resolve) => client.ws.once('pong', (data) => resolve(data.toString())));
    client.ws.ping('payload');
    expect(await pong).toBe('payload');
    await server.stop(1000);
  });

  test('that ends only its own half of the connection is let go', async () => {
    const echo = echoRoute();
    const { client, server, sockets } = await connected({ routes: [echo.route] });
    Reflect.get(client.ws, '_socket').end();
    await until(() => sockets.size === 0);
    expect(echo.closed).toEqual([1]);
    await server.stop(1000);
  });

  test('that resets the connection is let go', async () => {
    const { client, server, sockets } = await connected();
    Reflect.get(client.ws, '_socket').resetAndDestroy();
    await until(() => sockets.size === 0);
    await server.stop(1000);
  });
});

test('whatever bytes come, the socket ends, nothing is left counted, and the next socket works', async () => {
  const opened = await openSockets({ limits: { maxUnfinishedBytes: 1500, closeTimeoutMs: 20 } });
  // Frame heads are likelier than in plain noise, so that the bytes get somewhere.
  const head = fc.constantFrom(
    [0x81, 0x82],
    [0x89, 0x80],
    [0x8a, 0x85],
    [0x88, 0x80],
    [0x01, 0xfe],
    [0x80, 0xff],
    [0x82],
  );
  const noise = fc.array(fc.oneof(head, fc.array(fc.nat(255), { maxLength: 40 })), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(noise, async (parts) => {
      const client = await opened.connect();
      Reflect.get(client.ws, '_socket').write(Buffer.from(parts.flat()));
      await wait(1);
      client.ws.terminate();
      await until(() => opened.sockets.size === 0);
    }),
    { numRuns: 150 },
  );
  const client = await opened.connect();
  client.ws.send('x'.repeat(1000));
  expect(await client.next()).toHaveLength(1000);
  expect(opened.lines().filter(({ level }) => level === 'error')).toEqual([]);
  await opened.server.stop(1000);
});
