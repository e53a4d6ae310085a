// Connections that are handed on to another process: every byte arrives, in both directions and once, or none at all.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { handOnText } from './handed-on.ts';
import { type BridgedDoor, GET, NOTHING, openBridgedDoor, PROOF } from './testing/bridged-door.ts';

let world: BridgedDoor;

beforeEach(async () => {
  world = await openBridgedDoor();
});

afterEach(() => world.close());

describe('a connection', () => {
  test('is asked for with the address of its client when he says something, and carries what he says as it is', async () => {
    const from = world.client();
    await once(from.socket, 'connect');
    await sleep(50);
    expect(world.target?.asked).toEqual([]);
    const { socket, heard } = await world.carried(from);
    expect(world.target?.asked).toEqual([handOnText(`127.0.0.1:${world.target?.port}`, '127.0.0.1', PROOF)]);
    expect(heard()).toBe(GET);
    socket.write('first');
    expect(await from.until(/first/)).toBe('first');
    from.send('\0second\r\n');
    await expect.poll(heard).toBe(`${GET}\0second\r\n`);
    socket.write('third');
    expect(await from.until(/third/)).toBe('firstthird');
    expect(world.target?.asked).toHaveLength(1);
  });

  test('carries megabytes in both directions, however slowly they are taken', async () => {
    const from = world.client();
    const { socket, heard } = await world.carried(from);
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
    const from = world.client();
    const { socket } = await world.carried(from);
    from.socket.end();
    await once(socket, 'end');
    socket.end('the answer');
    expect(await from.closed()).toBe('the answer');
  });

  test('ends on both sides, whichever leaves', async () => {
    const leaving = world.client();
    const { socket: left } = await world.carried(leaving);
    leaving.socket.destroy();
    await once(left, 'end');
    left.end();
    const broken = world.client();
    const { socket: reset } = await world.carried(broken);
    const gone = once(reset, 'error');
    broken.socket.resetAndDestroy();
    expect(String(await gone)).toContain('ECONNRESET');
    const third = world.client();
    const { socket } = await world.carried(third);
    socket.write('half', () => socket.resetAndDestroy());
    expect(await third.closed()).toMatch(/^(half)?$/);
    await expect.poll(() => world.connections()).toBe(0);
  });

  test('whose client is silent is given up after a while', async () => {
    world.open({ silentAtMostMs: 200 });
    const from = world.client();
    expect(await from.closed()).toBe('');
    expect(world.target?.asked).toEqual([]);
  });
});

describe('is served here, with all that was said,', () => {
  const textOfFirst = () => expect.poll(() => world.servedHere[0]?.text, { timeout: 20_000 });

  test('while there is nobody', async () => {
    world.target = undefined;
    const from = world.client();
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
    world.target = await world.otherProcess(answer);
    world.open({ takenWithinMs: 300 });
    const from = world.client();
    from.send(GET);
    await textOfFirst().toBe(GET);
    expect(world.target.taken).toEqual([]);
  });

  test('where nobody listens there', async () => {
    world.target?.server.close();
    const from = world.client();
    from.send(GET);
    await textOfFirst().toBe(GET);
  });

  test('where it was handed on already: it would go round for ever', async () => {
    const text = handOnText('x', '203.0.113.7', PROOF);
    for (const [index, at] of [text.length, 1, 20].entries()) {
      const from = world.client();
      from.send(text.slice(0, at));
      await sleep(20);
      from.send(text.slice(at));
      await expect.poll(() => world.servedHere[index]?.text).toBe(text);
    }
    expect(world.target?.asked).toEqual([]);
    expect(world.servedHere).toHaveLength(3);
  });
});

describe('when the owner changes', () => {
  test('a connection that was not taken yet is the next one’s, and nothing of it was lost', async () => {
    const silent = await world.otherProcess(NOTHING);
    const next = world.target;
    world.target = silent;
    const from = world.client();
    from.send(GET);
    await expect.poll(() => silent.asked.length).toBe(1);
    world.target = next;
    world.bridge.turn();
    await expect.poll(() => next?.taken[0]?.heard).toBe(GET);
    expect(world.servedHere).toEqual([]);
  });

  test('one that was carried is broken off: it may have been traded', async () => {
    const from = world.client();
    await world.carried(from);
    const silent = world.client();
    await once(silent.socket, 'connect');
    world.bridge.turn();
    expect(await from.closed()).toBe('');
    // Of one that has said nothing yet nothing can have been traded.
    world.target = undefined;
    silent.send(GET);
    await expect.poll(() => world.servedHere[0]?.text).toBe(GET);
  });
});

describe('a stop', () => {
  test('waits for the answer under way, and then closes the connection', async () => {
    const from = world.client();
    const { socket } = await world.carried(from);
    const stopped = world.bridge.stop(20_000);
    await sleep(400);
    socket.write('the answer');
    expect(await from.closed()).toBe('the answer');
    await stopped;
  });

  test('closes at once what is idle or has said nothing, and after its time what is not', async () => {
    const idle = world.client();
    const { socket } = await world.carried(idle);
    socket.write('answered');
    await idle.until(/answered/);
    const silent = world.client();
    await once(silent.socket, 'connect');
    await Promise.all([world.bridge.stop(60_000), idle.closed(), silent.closed()]);
    const from = world.client();
    await world.carried(from);
    await Promise.all([world.bridge.stop(100), from.closed()]);
  });
});

test('a client that leaves before he is taken leaves nothing behind', async () => {
  world.target = await world.otherProcess(NOTHING);
  world.open({ takenWithinMs: 300 });
  const { port } = world;
  for (let round = 0; round < 20; round += 1) {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(GET);
      socket.resetAndDestroy();
    });
    await once(socket, 'close');
  }
  await expect.poll(() => world.connections(), { timeout: 20_000 }).toBe(0);
  expect(world.target.asked.filter((text) => !text.includes('x-signalbox-client: 127.0.0.1\r\n'))).toEqual([]);
});
