// Connections that are handed on to another process: every byte arrives, in both directions and once, or none at all.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BridgeOptions, ConnectionBridge } from './connection-bridge.ts';
import { handOnText, TAKEN } from './handed-on.ts';
import { type RawClient, rawClient } from './testing/raw-client.ts';

const PROOF = 'p'.repeat(64);
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

let bridge: ConnectionBridge;
let door: Server;
let owners: OtherProcess[];
/** What was given back, and what it had said by then. */
let servedHere: { socket: Socket; text: string }[];
let target: OtherProcess | undefined;

/** One that may own the desk: it takes connections, or answers something else, or nothing. */
interface OtherProcess {
  readonly server: Server;
  readonly port: number;
  readonly asked: string[];
  readonly taken: Taken[];
}

interface Taken {
  readonly socket: Socket;
  heard: string;
}

const NOTHING = '';

async function otherProcess(answer = TAKEN): Promise<OtherProcess> {
  const asked: string[] = [];
  const taken: Taken[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    socket.once('data', (bytes) => {
      asked.push(bytes.toString());
      socket.write(answer);
      if (answer !== TAKEN) return;
      const each: Taken = { socket, heard: '' };
      taken.push(each);
      socket.on('data', (more) => (each.heard += more.toString('latin1')));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const other = { server, port: (server.address() as AddressInfo).port, asked, taken };
  owners.push(other);
  return other;
}

beforeEach(async () => {
  owners = [];
  servedHere = [];
  target = await otherProcess();
  open();
  door = createServer({ allowHalfOpen: true }, (socket) =>
    bridge.take(socket, () => {
      const served = { socket, text: '' };
      servedHere.push(served);
      socket.on('error', () => {});
      socket.on('data', (bytes) => (served.text += bytes.toString()));
    }),
  );
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
});

function open(times: Pick<BridgeOptions, 'silentAtMostMs' | 'takenWithinMs'> = {}): void {
  const at = () => (target === undefined ? undefined : { host: '127.0.0.1', port: target.port });
  bridge = new ConnectionBridge({ target: at, proof: PROOF, ...times });
}

afterEach(async () => {
  await bridge.stop(0);
  for (const { socket } of servedHere) socket.destroy();
  for (const { server, taken } of owners) {
    for (const { socket } of taken) socket.destroy();
    server.close();
  }
  door.close();
});

const client = (): RawClient => rawClient((door.address() as AddressInfo).port);

/** What the other process has of a client that says something, once it has heard that much. */
async function carried(from: RawClient): Promise<{ socket: Socket; heard: () => string }> {
  const count = target?.taken.length ?? 0;
  from.send(GET);
  await expect.poll(() => target?.taken[count]?.heard).toBe(GET);
  const taken = target?.taken[count] as Taken;
  return { socket: taken.socket, heard: () => taken.heard };
}

describe('a connection', () => {
  test('is asked for with the address of its client when he says something, and carries what he says as it is', async () => {
    const from = client();
    await once(from.socket, 'connect');
    await sleep(50);
    expect(target?.asked).toEqual([]);
    const { socket, heard } = await carried(from);
    expect(target?.asked).toEqual([handOnText(`127.0.0.1:${target?.port}`, '127.0.0.1', PROOF)]);
    expect(heard()).toBe(GET);
    socket.write('first');
    expect(await from.until(/first/)).toBe('first');
    from.send('\0second\r\n');
    await expect.poll(heard).toBe(`${GET}\0second\r\n`);
    socket.write('third');
    expect(await from.until(/third/)).toBe('firstthird');
    expect(target?.asked).toHaveLength(1);
  });

  test('carries megabytes in both directions, however slowly they are taken', async () => {
    const from = client();
    const { socket, heard } = await carried(from);
    const much = 'ab'.repeat(20_000_000);
    socket.pause();
    from.send(much);
    await sleep(100);
    // What nobody takes waits with the sender, and not in our memory.
    expect(from.socket.writableLength).toBeGreaterThan(0);
    socket.resume();
    await expect.poll(() => heard().length, { timeout: 20_000 }).toBe(GET.length + much.length);
    expect(heard().slice(GET.length) === much).toBe(true);
    from.socket.pause();
    socket.write(much);
    await sleep(100);
    expect(socket.writableLength).toBeGreaterThan(0);
    from.socket.resume();
    socket.end();
    expect((await from.closed()) === much).toBe(true);
  });

  test('whose client says that nothing more comes still carries his answer', async () => {
    const from = client();
    const { socket } = await carried(from);
    from.socket.end();
    await once(socket, 'end');
    socket.end('the answer');
    expect(await from.closed()).toBe('the answer');
  });

  test('ends on both sides, whichever leaves', async () => {
    const leaving = client();
    const { socket: left } = await carried(leaving);
    leaving.socket.destroy();
    await once(left, 'end');
    left.end();
    const broken = client();
    const { socket: reset } = await carried(broken);
    const gone = once(reset, 'error');
    broken.socket.resetAndDestroy();
    expect(String(await gone)).toContain('ECONNRESET');
    const third = client();
    const { socket } = await carried(third);
    socket.write('half', () => socket.resetAndDestroy());
    expect(await third.closed()).toMatch(/^(half)?$/);
    await expect.poll(() => connectionsOf(door)).toBe(0);
  });

  test('whose client is silent is given up after a while', async () => {
    open({ silentAtMostMs: 200 });
    const from = client();
    expect(await from.closed()).toBe('');
    expect(target?.asked).toEqual([]);
  });
});

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((_, count) => resolve(count)));

describe('is served here, with all that was said,', () => {
  const textOfFirst = () => expect.poll(() => servedHere[0]?.text, { timeout: 20_000 });

  test('while there is nobody', async () => {
    target = undefined;
    const from = client();
    from.send(GET);
    await textOfFirst().toBe(GET);
    from.send('more');
    await textOfFirst().toBe(`${GET}more`);
  });

  test.each([
    ['refuses it', 'HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n'],
    ['is something else', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
    ['talks without an end', 'x'.repeat(5000)],
    ['says nothing', NOTHING],
  ])('where the other one %s', async (_, answer) => {
    target = await otherProcess(answer);
    open({ takenWithinMs: 300 });
    const from = client();
    from.send(GET);
    await textOfFirst().toBe(GET);
    expect(target.taken).toEqual([]);
  });

  test('where nobody listens there', async () => {
    target?.server.close();
    const from = client();
    from.send(GET);
    await textOfFirst().toBe(GET);
  });

  test('where it was handed on already: it would go round for ever', async () => {
    const text = handOnText('x', '203.0.113.7', PROOF);
    for (const [index, at] of [text.length, 1, 20].entries()) {
      const from = client();
      from.send(text.slice(0, at));
      await sleep(20);
      from.send(text.slice(at));
      await expect.poll(() => servedHere[index]?.text).toBe(text);
    }
    expect(target?.asked).toEqual([]);
    expect(servedHere).toHaveLength(3);
  });
});

describe('when the owner changes', () => {
  test('a connection that was not taken yet is the next one’s, and nothing of it was lost', async () => {
    const silent = await otherProcess(NOTHING);
    const next = target;
    target = silent;
    const from = client();
    from.send(GET);
    await expect.poll(() => silent.asked.length).toBe(1);
    target = next;
    bridge.turn();
    await expect.poll(() => next?.taken[0]?.heard).toBe(GET);
    expect(servedHere).toEqual([]);
  });

  test('one that was carried is broken off: it may have been traded', async () => {
    const from = client();
    await carried(from);
    const silent = client();
    await once(silent.socket, 'connect');
    bridge.turn();
    expect(await from.closed()).toBe('');
    // Of one that has said nothing yet nothing can have been traded.
    target = undefined;
    silent.send(GET);
    await expect.poll(() => servedHere[0]?.text).toBe(GET);
  });
});

describe('a stop', () => {
  test('waits for the answer under way, and then closes the connection', async () => {
    const from = client();
    const { socket } = await carried(from);
    const stopped = bridge.stop(20_000);
    await sleep(400);
    socket.write('the answer');
    expect(await from.closed()).toBe('the answer');
    await stopped;
  });

  test('closes at once what is idle or has said nothing, and after its time what is not', async () => {
    const idle = client();
    const { socket } = await carried(idle);
    socket.write('answered');
    await idle.until(/answered/);
    const silent = client();
    await once(silent.socket, 'connect');
    await Promise.all([bridge.stop(60_000), idle.closed(), silent.closed()]);
    const from = client();
    await carried(from);
    await Promise.all([bridge.stop(100), from.closed()]);
  });
});

test('a client that leaves before he is taken leaves nothing behind', async () => {
  target = await otherProcess(NOTHING);
  open({ takenWithinMs: 300 });
  const { port } = door.address() as AddressInfo;
  for (let round = 0; round < 20; round += 1) {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(GET);
      socket.resetAndDestroy();
    });
    await once(socket, 'close');
  }
  await expect.poll(() => connectionsOf(door), { timeout: 20_000 }).toBe(0);
  expect(target.asked.filter((text) => !text.includes('x-signalbox-client: 127.0.0.1\r\n'))).toEqual([]);
});
