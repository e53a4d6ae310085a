// The doors of two processes that share a database: what comes to the one that stands by is the owner's, and nobody else can say who he is.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { handOnText, proofBy } from '../http/handed-on.ts';
import { createLog } from '../http/log.ts';
import { peerOfSocket } from '../http/peers.ts';
import { rawClient } from '../http/testing/raw-client.ts';
import { DeskDoor } from './desk-door.ts';

const TOKEN = 't'.repeat(32);
const LOG = createLog({ level: 'error', name: 'test' });
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

let owner: DeskDoor;
let standby: DeskDoor;
let ownerPort: number | undefined;
let seen: string[];
let sockets: WebSocketServer;

const openDoor = (target: () => number | undefined, internalToken: string | undefined = TOKEN): Promise<DeskDoor> =>
  DeskDoor.open({
    config: { host: '127.0.0.1', port: 0, trustedProxies: [], internalToken, baseUrl: undefined },
    log: LOG,
    owner() {
      const port = target();
      return port === undefined ? undefined : { host: '127.0.0.1', port };
    },
  });

function own(door: DeskDoor, name: string): void {
  door.serveHere(
    (incoming, outgoing) => {
      seen.push(`${incoming.url} of ${peerOfSocket(incoming.socket)}`);
      incoming.resume().on('end', () => outgoing.end(`${name} ${incoming.url} of ${peerOfSocket(incoming.socket)};`));
    },
    {
      onUpgrade: (incoming, socket, head) =>
        sockets.handleUpgrade(incoming, socket, head, (client) => {
          client.on('message', (data) => client.send(`${name} heard ${data} of ${peerOfSocket(incoming.socket)}`));
        }),
      stop: async () => {},
    },
  );
}

beforeEach(async () => {
  seen = [];
  sockets = new WebSocketServer({ noServer: true });
  owner = await openDoor(() => undefined);
  own(owner, 'owner');
  ownerPort = owner.port;
  standby = await openDoor(() => ownerPort);
});

afterEach(async () => {
  await Promise.all([owner.stop(0), standby.stop(0)]);
});

describe('at the door of one that stands by', () => {
  test('requests of one connection are answered by the owner, in their order', async () => {
    const client = rawClient(standby.port);
    client.send(get('/a') + get('/b'));
    await client.until(/\/b of/);
    client.send(get('/c'));
    expect((await client.until(/\/c of 127.0.0.1;/)).match(/owner \/\w/g)).toEqual([
      'owner /a',
      'owner /b',
      'owner /c',
    ]);
    client.socket.destroy();
  });

  test('a WebSocket is the owner’s', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${standby.port}/ws`);
    await once(socket, 'open');
    socket.send('this');
    const [heard] = (await once(socket, 'message')) as [Buffer];
    expect(heard.toString()).toBe('owner heard this of 127.0.0.1');
    socket.terminate();
  });

  test('while nobody owns the desk everything is answered 503, and no connection is kept from the next owner', async () => {
    ownerPort = undefined;
    const client = rawClient(standby.port);
    client.send(get('/a') + get('/b'));
    const answer = await client.closed();
    expect(answer).toMatch(/^HTTP\/1.1 503 .*retry-after: 2\r\n.*TRY_AGAIN/s);
    expect(answer.toLowerCase()).toContain('connection: close');
    const socket = new WebSocket(`ws://127.0.0.1:${standby.port}/ws`);
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toContain('503');
    ownerPort = owner.port;
    expect(await (await fetch(`${standby.url}/c`)).text()).toBe('owner /c of 127.0.0.1;');
    expect(seen).toEqual(['/c of 127.0.0.1']);
  });

  test('a client that leaves while nobody owns the desk ends nothing', async () => {
    ownerPort = undefined;
    for (let round = 0; round < 50; round += 1) {
      const client = connect(standby.port, '127.0.0.1', () => {
        client.write(`GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
        client.resetAndDestroy();
      });
      await new Promise((resolve) => client.on('close', resolve));
    }
    expect((await fetch(standby.url)).status).toBe(503);
  });

  test('what has not been taken when it owns the desk itself is served there', async () => {
    const silent = rawClient(standby.port);
    await once(silent.socket, 'connect');
    own(standby, 'next owner');
    ownerPort = undefined;
    silent.send(get('/a'));
    expect(await silent.until(/;/)).toContain('next owner /a of 127.0.0.1;');
    expect(await (await fetch(`${standby.url}/b`)).text()).toBe('next owner /b of 127.0.0.1;');
    silent.socket.destroy();
  });

  test('where both lead to each other, there is an answer and no circle', async () => {
    let ports: number[] = [];
    const doors = await Promise.all([openDoor(() => ports[1]), openDoor(() => ports[0])]);
    ports = doors.map(({ port }) => port);
    for (const { url } of doors) expect((await fetch(url)).status).toBe(503);
    await Promise.all(doors.map((door) => door.stop(0)));
  });

  test('without a token the owner takes nothing from anybody', async () => {
    const [tokenless, other] = await Promise.all([
      openDoor(() => undefined, ''),
      openDoor(() => ownerPort, 'x'.repeat(32)),
    ]);
    own(tokenless, 'tokenless');
    expect((await fetch(other.url)).status).toBe(503);
    ownerPort = tokenless.port;
    expect((await fetch(standby.url)).status).toBe(503);
    const guessing = rawClient(tokenless.port);
    guessing.send(handOnText('x', '203.0.113.7', proofBy('')));
    expect(await guessing.closed()).toMatch(/^HTTP\/1.1 403 /);
    expect(seen).toEqual([]);
    await Promise.all([tokenless.stop(0), other.stop(0)]);
  });
});

describe('the owner', () => {
  const ask = async (text: string): Promise<{ answer: string; socket: Socket }> => {
    const client = rawClient(owner.port);
    client.send(text);
    const answer = await client.until(/\r\n\r\n/);
    return { answer, socket: client.socket };
  };

  test('believes who the client is from one that has the token', async () => {
    const client = rawClient(owner.port);
    client.send(handOnText('x', '203.0.113.7', proofBy(TOKEN)));
    expect(await client.until(/\r\n\r\n/)).toMatch(/^HTTP\/1.1 101 /);
    client.send(get('/a'));
    expect(await client.until(/;/)).toContain('owner /a of 203.0.113.7;');
    client.socket.destroy();
  });

  test.each([
    ['has not', handOnText('x', '203.0.113.7', proofBy('x'.repeat(32)))],
    ['names no address', handOnText('x', 'somebody', proofBy(TOKEN))],
    ['does not wait for the answer', handOnText('x', '203.0.113.7', proofBy(TOKEN)) + get('/a')],
  ])('refuses one that %s, and reads nothing behind it', async (_, text) => {
    const client = rawClient(owner.port);
    client.send(text);
    client.send(get('/b'));
    expect(await client.closed()).toMatch(/^HTTP\/1.1 403 /);
    expect(seen).toEqual([]);
  });

  test('knows of a connection that was taken that it is none of its own machine’s, where the other one is elsewhere', async () => {
    // Both are here, so the client is too.
    const { socket } = await ask(handOnText('x', '::1', proofBy(TOKEN)));
    socket.write(get('/a'));
    await expect.poll(() => seen).toEqual(['/a of 127.0.0.1']);
    socket.destroy();
  });

  test('stops without waiting for connections that are idle behind the one that stands by', async () => {
    const client = rawClient(standby.port);
    client.send(get('/a'));
    await client.until(/;/);
    await Promise.all([owner.stop(600_000), client.closed()]);
  });
});

test('one that owns the desk serves itself, whoever the lease still names', async () => {
  own(standby, 'next owner');
  expect(await (await fetch(`${standby.url}/b`)).text()).toBe('next owner /b of 127.0.0.1;');
});

test('a change of the owner breaks off what was handed on', async () => {
  const client = rawClient(standby.port);
  client.send(get('/a'));
  await client.until(/;/);
  standby.turn();
  await client.closed();
});

test('a stop of one that stands by takes nothing new at once, and lets go what is idle', async () => {
  const client = rawClient(standby.port);
  client.send(get('/a'));
  await client.until(/;/);
  const stopped = standby.stop(600_000);
  await expect(fetch(standby.url)).rejects.toThrow();
  await Promise.all([stopped, client.closed()]);
});

test('one that stands by takes no connection of a fellow', async () => {
  ownerPort = undefined;
  const client = rawClient(standby.port);
  client.send(handOnText('x', '203.0.113.7', proofBy(TOKEN)));
  expect(await client.closed()).toMatch(/^HTTP\/1.1 503 /);
});

test('whoever is refused is cut off, also one that keeps his side open', async () => {
  const socket = connect({ port: owner.port, host: '127.0.0.1', allowHalfOpen: true });
  const broken = once(socket, 'error');
  socket.resume().write(handOnText('x', '203.0.113.7', 'x'));
  await new Promise((resolve) => socket.once('end', resolve));
  const timer = setInterval(() => socket.write('x'), 20);
  await broken;
  clearInterval(timer);
});

test('a stop tells the sockets of whoever owns the desk', async () => {
  const told: number[] = [];
  standby.serveHere(() => {}, { onUpgrade: () => {}, stop: async (drainMs) => void told.push(drainMs) });
  await standby.stop(1234);
  expect(told).toEqual([1234]);
});

test('an answer before the whole request has come reaches its sender, as at the owner', async () => {
  owner.serveHere((_, outgoing) => outgoing.writeHead(413, { connection: 'close' }).end('too large'), {
    onUpgrade: () => {},
    stop: async () => {},
  });
  const size = 2_000_000;
  const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`;
  for (const { port } of [owner, standby])
    for (let round = 0; round < 20; round += 1) {
      const client = rawClient(port);
      client.send(head + 'x'.repeat(size));
      expect(await client.closed()).toContain('too large');
    }
});

test('whoever guesses the proof waits like whoever guesses the token', async () => {
  const guess = async (proof: string): Promise<string> => {
    const client = rawClient(owner.port);
    client.send(handOnText('x', '203.0.113.7', proof));
    const answer = await client.until(/HTTP\/1.1 \d+/);
    client.socket.destroy();
    return answer.slice(0, 12);
  };
  for (let wrong = 0; wrong < 30; wrong += 1) expect(await guess('x')).toBe('HTTP/1.1 403');
  for (const [proof, status] of [
    ['x', 403],
    [proofBy(TOKEN), 101],
  ] as const) {
    const answer = guess(proof);
    expect(await Promise.race([answer, sleep(400)])).toBeUndefined();
    expect(await answer).toBe(`HTTP/1.1 ${status}`);
  }
});

test('what a client does not take is counted, whoever answers him', async () => {
  const much = Buffer.alloc(50_000_000);
  owner.serveHere((_, outgoing) => outgoing.end(much), { onUpgrade: () => {}, stop: async () => {} });
  const client = rawClient(standby.port);
  client.socket.pause();
  client.send(get('/a'));
  await expect.poll(() => standby.untakenBytes()).toBeGreaterThan(0);
  client.socket.destroy();
  await expect.poll(() => standby.untakenBytes()).toBe(0);
});
