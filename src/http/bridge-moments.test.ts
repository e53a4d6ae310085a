// Moments of a connection that is handed on: while it is asked for, when its owner changes or breaks, and in a stop.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TAKEN } from './handed-on.ts';
import { type BridgedDoor, GET, openBridgedDoor } from './testing/bridged-door.ts';

let world: BridgedDoor;

beforeEach(async () => {
  world = await openBridgedDoor();
});

afterEach(() => world.close());

test('what a client says while he is asked for is not lost', async () => {
  const slow = await world.slowProcess();
  world.target = slow;
  const from = world.client();
  from.send(GET);
  await expect.poll(() => slow.asked.length).toBe(1);
  from.send('the body');
  await sleep(100);
  slow.sockets[0]?.write(TAKEN);
  await expect
    .poll(() => world.heardBy.get(slow.sockets[0] as Socket))
    .toMatch(/\r\n\r\nGET \/ HTTP\/1.1\r\nHost: x\r\n\r\nthe body$/);
});

test('an owner of before who takes it after all gets nothing, and the time of his question is over', async () => {
  const before = await world.slowProcess();
  const next = world.target;
  world.target = before;
  world.open({ takenWithinMs: 300 });
  const from = world.client();
  from.send(GET);
  await expect.poll(() => before.asked.length).toBe(1);
  world.target = next;
  world.bridge.turn();
  before.sockets[0]?.write(TAKEN);
  await expect.poll(() => next?.taken[0]?.heard).toBe(GET);
  await sleep(500);
  from.send('more');
  await expect.poll(() => next?.taken[0]?.heard).toBe(`${GET}more`);
  expect(world.servedHere).toEqual([]);
  expect(world.heardBy.get(before.sockets[0] as Socket)).not.toContain('GET / ');
  await expect.poll(() => before.sockets[0]?.readableEnded || before.sockets[0]?.destroyed).toBe(true);
});

test('bytes behind the 101 are the client’s', async () => {
  const slow = await world.slowProcess();
  world.target = slow;
  const from = world.client();
  from.send(GET);
  await expect.poll(() => slow.asked.length).toBe(1);
  slow.sockets[0]?.write(`${TAKEN}already`);
  expect(await from.until(/already/)).toBe('already');
});

test('one that is taken stays taken when the time to take it is over', async () => {
  world.open({ takenWithinMs: 200 });
  const from = world.client();
  const { socket } = await world.carried(from);
  await sleep(400);
  socket.write('late');
  expect(await from.until(/late/)).toBe('late');
  expect(world.servedHere).toEqual([]);
});

test('one who talks without an end is not listened to until the time is over', async () => {
  world.target = await world.otherProcess('x'.repeat(5000));
  world.open({ takenWithinMs: 60_000 });
  world.client().send(GET);
  await expect.poll(() => world.servedHere[0]?.text).toBe(GET);
});

test('an owner that ends without an answer is not waited for', async () => {
  const slow = await world.slowProcess();
  world.target = slow;
  world.open({ takenWithinMs: 60_000 });
  world.client().send(GET);
  await expect.poll(() => slow.asked.length).toBe(1);
  slow.sockets[0]?.end();
  await expect.poll(() => world.servedHere[0]?.text).toBe(GET);
});

test('a client that says that nothing more comes is served here all the same, where he is not taken', async () => {
  const slow = await world.slowProcess();
  world.target = slow;
  const from = world.client();
  from.send(GET);
  await expect.poll(() => slow.asked.length).toBe(1);
  from.socket.end();
  await sleep(50);
  slow.sockets[0]?.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  await expect.poll(() => world.servedHere[0]?.text).toBe(GET);
  world.servedHere[0]?.socket.end('the answer');
  expect(await from.closed()).toBe('the answer');
});

test('a change of the owner asks for nobody who has said nothing', async () => {
  const silent = world.client();
  await once(silent.socket, 'connect');
  await sleep(50);
  world.bridge.turn();
  await sleep(100);
  expect(world.target?.asked).toEqual([]);
});

test('what the other process said before it broke arrives, and then the connection ends', async () => {
  const from = world.client();
  const { socket } = await world.carried(from);
  socket.write('half');
  await from.until(/half/);
  socket.resetAndDestroy();
  expect(await from.closed()).toBe('half');
  await expect.poll(() => world.connections()).toBe(0);
});

test('a change of the owner looks like a process that died, also to the one before', async () => {
  const from = world.client();
  const { socket } = await world.carried(from);
  const broken = new Promise<Error>((resolve) => from.socket.once('error', resolve));
  world.bridge.turn();
  expect(String(await broken)).toContain('ECONNRESET');
  await expect.poll(() => socket.readableEnded || socket.destroyed).toBe(true);
});

test('what the owner has closed is closed for a client that does not close his side', async () => {
  const from = connect({ port: world.port, host: '127.0.0.1', allowHalfOpen: true });
  from.resume().write(GET);
  await expect.poll(() => world.target?.taken[0]?.heard).toBe(GET);
  world.target?.taken[0]?.socket.end('the answer', () => world.target?.taken[0]?.socket.destroy());
  await once(from, 'end');
  await expect.poll(() => world.connections(), { timeout: 3000 }).toBe(0);
  from.destroy();
});

test('what is over is forgotten', async () => {
  world.target = undefined;
  const from = world.client();
  from.send(GET);
  await expect.poll(() => world.servedHere[0]?.text).toBe(GET);
  await Promise.race([world.bridge.stop(60_000), sleep(1000).then(() => Promise.reject(new Error('waits')))]);
  // And what is served here is nobody's of the bridge any more.
  world.servedHere[0]?.socket.write('the answer');
  expect(await from.until(/answer/)).toBe('the answer');
});

test('a stop does not cut an answer that is coming, with pauses', async () => {
  const from = world.client();
  const { socket } = await world.carried(from);
  const stopped = world.bridge.stop(20_000);
  for (let piece = 0; piece < 8; piece += 1) {
    socket.write(String(piece));
    await sleep(150);
  }
  expect(await from.closed()).toBe('01234567');
  await stopped;
});

test('a stop waits for the answer of a later request too', async () => {
  const from = world.client();
  const { socket, heard } = await world.carried(from);
  socket.write('first;');
  await from.until(/first;/);
  from.send(GET);
  await expect.poll(heard).toBe(GET + GET);
  const stopped = world.bridge.stop(20_000);
  await sleep(500);
  socket.write('second');
  expect(await from.closed()).toBe('first;second');
  await stopped;
});

test('a client that takes nothing of what waits for him is let go', async () => {
  world.open({ stalledAtMostMs: 300 });
  const from = world.client();
  const { socket } = await world.carried(from);
  // What is idle stays.
  await sleep(700);
  from.socket.pause();
  socket.write('x'.repeat(100_000_000));
  await expect.poll(() => world.connections(), { timeout: 5000 }).toBe(0);
  await expect.poll(() => socket.destroyed).toBe(true);
});

test('a change of the owner in the moment in which a connection is being ended loses no descriptor', async () => {
  // Node asks for the end here, and a reset before it has come would leave the descriptor open for ever.
  world.onConnection = (socket) => {
    const asked = socket as unknown as { _final(done: () => void): void };
    const end = asked._final;
    asked._final = function (done) {
      end.call(this, done);
      world.bridge.turn();
    };
  };
  const from = world.client();
  const { socket } = await world.carried(from);
  socket.end('the answer');
  await from.closed();
  await expect.poll(() => world.connections()).toBe(0);
  await Promise.race([world.bridge.stop(60_000), sleep(1000).then(() => Promise.reject(new Error('waits')))]);
});

test('a stop lets a busy connection go between two of its requests, and whatever was asked is answered', async () => {
  const from = world.client();
  const { socket } = await world.carried(from);
  let asked = 1;
  const answer = (): void => void socket.write(`answer ${asked};`);
  socket.on('data', () => {
    asked += 1;
    setTimeout(answer, 20);
  });
  answer();
  let answered = 0;
  from.socket.on('data', () => {
    answered += 1;
    from.send(GET);
  });
  await expect.poll(() => answered).toBeGreaterThan(5);
  const tooLong = sleep(10_000).then(() => Promise.reject(new Error('it waits for its time to be over')));
  await Promise.race([world.bridge.stop(60_000), tooLong]);
  tooLong.catch(() => {});
  await from.closed();
  expect(answered).toBe(asked);
});

test('why an owner has not taken a connection is told', async () => {
  const told: string[] = [];
  world.open({
    onNotTaken: ({ port }, why) => void told.push(`${port === world.target?.port} ${why}`),
    takenWithinMs: 100,
  });
  world.target?.server.close();
  world.client().send(GET);
  await expect.poll(() => told).toEqual([expect.stringMatching(/^true connect ECONNREFUSED/)]);
  world.target = await world.otherProcess('');
  world.client().send(GET);
  await expect.poll(() => told.at(-1)).toBe('true no answer within 100 ms');
});
