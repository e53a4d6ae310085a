// The life of a WebSocket: texts, faults of handlers, what log and metrics tell, and the stop.
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { rawClient } from './testing/raw-client.ts';
import { connected, echoRoute, openSockets, routeOf, until } from './testing/socket-fixture.ts';

describe('a text', () => {
  test('is handed over and answered', async () => {
    const { client, server } = await connected();
    client.ws.send('hällo €');
    expect(await client.next()).toBe('hällo €');
    client.ws.send('');
    expect(await client.next()).toBe('');
    await server.stop(1000);
  });

  test('may be answered with bytes, which arrive as text', async () => {
    const bytes = Buffer.from('{"type":"kline"}');
    const route = routeOf((socket) => ({ onText: () => socket.sendText(bytes), onClose: () => {} }));
    const { client, server } = await connected({ routes: [route] });
    const kinds: boolean[] = [];
    client.ws.on('message', (_, isBinary) => kinds.push(isBinary));
    client.ws.send('x');
    expect(await client.next()).toBe('{"type":"kline"}');
    expect(kinds).toEqual([false]);
    await server.stop(1000);
  });

  test('may be taken as bytes', async () => {
    const route = routeOf((socket) => ({ onUtf8: (bytes) => socket.sendText(bytes), onClose: () => {} }));
    const { client, server } = await connected({ routes: [route] });
    client.ws.send('é');
    expect(await client.next()).toBe('é');
    await server.stop(1000);
  });

  test.each([
    [1024, 'is taken'],
    [1025, 'closes the socket with 1009'],
  ])('of %d bytes where 1024 are allowed %s', async (length) => {
    const { client, server } = await connected();
    client.ws.send('x'.repeat(length));
    if (length === 1024) expect(await client.next()).toHaveLength(1024);
    else expect(await client.ended).toEqual({ code: 1009, reason: '' });
    await server.stop(1000);
  });

  test('in many fragments counts as one', async () => {
    const { client, server } = await connected();
    for (let i = 0; i < 1023; i += 1) client.ws.send('x', { fin: false });
    client.ws.send('y', { fin: true });
    expect(await client.next()).toBe(`${'x'.repeat(1023)}y`);
    await server.stop(1000);
  });

  test('that is not UTF-8 closes the socket with 1007', async () => {
    const { client, server } = await connected();
    client.ws.send(Buffer.from([0xc3, 0x28]), { binary: false });
    expect((await client.ended).code).toBe(1007);
    await server.stop(1000);
  });

  test('in binary closes the socket with 1003 and says what to send', async () => {
    const { client, server } = await connected();
    client.ws.send(Buffer.from('{}'));
    expect(await client.ended).toEqual({ code: 1003, reason: 'only text is understood here; send JSON as text' });
    await server.stop(1000);
  });

  test('garbage in place of frames closes the socket with 1002', async () => {
    const { client, server, sockets } = await connected();
    Reflect.get(client.ws, '_socket').write(Buffer.from([0xff, 0xff, 0xff, 0xff]));
    expect((await client.ended).code).toBe(1002);
    await until(() => sockets.size === 0);
    await server.stop(1000);
  });
});

describe('a handler', () => {
  test('that throws closes the socket with 1011, leaves a line in the log, and the next socket works', async () => {
    const route = routeOf((socket) => ({
      onText: (text) => {
        if (text === 'bad') throw new Error('own fault');
        socket.sendText(text);
      },
      onClose: () => {},
    }));
    const { client, connect, server, lines } = await connected({ routes: [route] });
    client.ws.send('bad');
    expect(await client.ended).toEqual({
      code: 1011,
      reason: 'something failed here; try again, and look in the log',
    });
    const fault = lines().find(({ level }) => level === 'error');
    expect(fault).toMatchObject({ requestId: 'id-1', path: '/echo', err: { message: 'own fault' } });
    const second = await connect();
    second.ws.send('fine');
    expect(await second.next()).toBe('fine');
    await server.stop(1000);
  });

  test.each(['a promise', 'the opening', 'the closing'])(
    'whose fault is in %s never ends the process',
    async (where) => {
      const route = routeOf(() => {
        if (where === 'the opening') throw new Error('own fault');
        return {
          onText: () => Promise.reject(new Error('own fault')),
          onClose: () => {
            if (where === 'the closing') throw new Error('own fault');
          },
        };
      });
      const { client, server, lines, sockets } = await connected({ routes: [route] });
      if (where === 'the closing') client.ws.close(1000);
      else if (where === 'a promise') client.ws.send('x');
      expect((await client.ended).code).toBe(where === 'the closing' ? 1000 : 1011);
      await until(() => sockets.size === 0);
      expect(lines().filter(({ level }) => level === 'error')).toHaveLength(1);
      await server.stop(1000);
    },
  );

  test('may close while it opens', async () => {
    const closes: string[] = [];
    const route = routeOf((socket) => {
      socket.sendText('sorry');
      socket.close(4001, 'no');
      socket.sendText('never seen');
      return { onText: () => {}, onClose: () => void closes.push('once') };
    });
    const { client, server, sockets } = await connected({ routes: [route] });
    expect(await client.ended).toEqual({ code: 4001, reason: 'no' });
    expect(client.texts).toEqual(['sorry']);
    await until(() => sockets.size === 0);
    expect(closes).toEqual(['once']);
    await server.stop(1000);
  });

  test.each([
    ['x'.repeat(200), 'x'.repeat(123)],
    ['€'.repeat(60), '€'.repeat(41)],
  ])('may close with a reason that is too long, which is cut between characters', async (reason, seen) => {
    const route = routeOf((socket) => ({ onText: () => socket.close(1000, reason), onClose: () => {} }));
    const { client, server } = await connected({ routes: [route] });
    client.ws.send('x');
    expect(await client.ended).toEqual({ code: 1000, reason: seen });
    await server.stop(1000);
  });

  test.each([0, 999, 1004, 1005, 1006, 1015, 2999, 5000, Number.NaN, 1000.5])(
    'that closes with %s, which is no code, closes with 1011',
    async (code) => {
      const route = routeOf((socket) => ({ onText: () => socket.close(code, ''), onClose: () => {} }));
      const { client, server, text } = await connected({ routes: [route] });
      client.ws.send('x');
      expect((await client.ended).code).toBe(1011);
      expect(text()).toContain('is no close code');
      await server.stop(1000);
    },
  );

  test('hears of the end exactly once, and afterwards its socket does nothing', async () => {
    const echo = echoRoute();
    const { client, server } = await connected({ routes: [echo.route] });
    client.ws.terminate();
    await until(() => echo.closed.length > 0);
    const [socket] = echo.sockets;
    socket?.sendText('x'.repeat(1000));
    socket?.close(1000, 'again');
    expect(socket?.bufferedBytes).toBe(0);
    await server.stop(1000);
    expect(echo.closed).toEqual([1]);
  });

  test('that is busy makes the client wait instead of piling up work', async () => {
    let most = 0;
    let now = 0;
    let done = 0;
    const release: (() => void)[] = [];
    const route = routeOf(
      () => ({
        onText: async () => {
          now += 1;
          most = Math.max(most, now);
          await new Promise<void>((resolve) => release.push(resolve));
          now -= 1;
          done += 1;
        },
        onClose: () => {},
      }),
      100_000,
    );
    const { client, server } = await connected({ routes: [route], limits: { maxUnderWay: 2, messageBurst: 1000 } });
    for (let i = 0; i < 40; i += 1) client.ws.send('x'.repeat(90_000));
    await until(() => release.length === 2);
    await wait(50);
    expect(most).toBeLessThanOrEqual(3);
    while (done < 40) {
      release.shift()?.();
      await wait(1);
    }
    expect(most).toBeLessThanOrEqual(3);
    await server.stop(1000);
  });
});

describe('log and metrics', () => {
  test('tell the opening and the end of each socket, and never the query', async () => {
    const { connect, server, lines, text, scrape, sockets } = await openSockets();
    const client = await connect('/echo?key=hunter2&api_key=pyn_0123456789abcdef');
    client.ws.send('secret hunter3');
    await client.next();
    expect(await scrape()).toContain('sockets_open 1');
    client.ws.close(3999, 'bye hunter4');
    await until(() => sockets.size === 0);
    expect(lines()).toMatchObject([
      { service: 'test', method: 'GET', path: '/echo', status: 101, requestId: 'id-1', clientAddress: '127.0.0.1' },
      {
        ...{ msg: 'socket closed', service: 'test', path: '/echo', code: 3999, messagesIn: 1, messagesOut: 1 },
        ...{ requestId: 'id-1', clientAddress: '127.0.0.1' },
      },
    ]);
    expect(text()).not.toMatch(/hunter|pyn_0/);
    const metrics = await scrape();
    expect(metrics).toContain('sockets_open 0');
    expect(metrics).toContain('socket_messages_in 1');
    expect(metrics).toContain('socket_messages_out 1');
    expect(metrics).toContain('sockets_closed_total{route="/echo",code="other"} 1');
    expect(metrics).toMatch(/http_requests_total\{.*route="\/echo".*status="101"\} 1/);
    await server.stop(1000);
  });
});

describe('a stop', () => {
  test('closes open sockets with 1001, tells the handlers, and does not wait for the timeout', async () => {
    const echo = echoRoute();
    const opened = await openSockets({ routes: [echo.route] });
    const clients = await Promise.all([opened.connect(), opened.connect()]);
    // Who waited for the grace to pass would wait far longer than this test may take.
    await opened.server.stop(600_000);
    expect(echo.closed.toSorted()).toEqual([1, 2]);
    for (const { ended } of clients) {
      expect(await ended).toEqual({
        code: 1001,
        reason: 'Signalbox is about to stop; connect again after its start',
      });
    }
    expect(opened.sockets.size).toBe(0);
  });

  test('cuts off a client that does not answer the close', async () => {
    const { client, server, sockets } = await connected();
    client.ws.pause();
    await server.stop(100);
    expect(sockets.size).toBe(0);
    client.ws.terminate();
  });

  test('lets work under way end and be answered, and takes no new work', async () => {
    const seen: string[] = [];
    const route = routeOf((socket) => ({
      onText: async (text) => {
        seen.push(text);
        await wait(100);
        socket.sendText(`${text} done`);
      },
      onClose: () => {},
    }));
    const { client, server } = await connected({ routes: [route] });
    client.ws.send('one');
    await until(() => seen.length === 1);
    const stopped = server.stop(10_000);
    client.ws.send('two');
    expect((await client.ended).code).toBe(1001);
    await stopped;
    expect(client.texts).toEqual(['one done']);
    expect(seen).toEqual(['one']);
  });

  test('does not wait for work that never ends', async () => {
    const route = routeOf(() => ({ onText: () => new Promise<void>(() => {}), onClose: () => {} }));
    const { client, server } = await connected({ routes: [route] });
    client.ws.send('x');
    await wait(20);
    await server.stop(50);
    expect((await client.ended).code).toBe(1006);
  });

  test('refuses handshakes that still come, with 503', async () => {
    const opened = await openSockets({ routes: [echoRoute().route] });
    const client = rawClient(opened.server.port);
    client.send('GET /echo HTTP/1.1\r\nHost: localhost\r\n');
    await wait(20);
    const stopped = opened.sockets.stop(1000);
    expect(opened.sockets.stop(1000)).toBe(stopped);
    client.send('Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    const answer = await client.closed();
    expect(answer).toContain('HTTP/1.1 503 Service Unavailable');
    expect(answer).toContain('"code":"STOPPING"');
    await stopped;
    await opened.server.stop(1000);
  });
});
