// The life of a connection in the fast lane: order, slow readers, clients that vanish, time limits, the stop.
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Answer } from './answer.ts';
import type { AnswerCall } from './endpoint.ts';
import { type RawClient, rawClient } from './raw-client.ts';
import { openRoad, plainPost } from './road-fixture.ts';

const ANSWER_END = /\r\n\r\n\{.*\}$/s;

// Doors that answer when the test says so.
function heldDoor() {
  const held: ((answer: Answer) => void)[] = [];
  const door: AnswerCall = () => new Promise((resolve) => held.push(resolve));
  const release = (value: unknown): void => held.shift()?.({ status: 200, body: { value } });
  const begun = async (count: number): Promise<void> => {
    while (held.length < count) await wait(1);
  };
  return { door, release, begun, calls: () => held.length };
}

async function answersOf(client: RawClient, count: number): Promise<string[]> {
  const text = await client.until(new RegExp(`(?:HTTP/1\\.1 .*?\\r\\n\\r\\n\\{[^}]*\\}){${count}}`, 's'));
  return [...text.matchAll(/"value":("[^"]*"|\d+)/g)].map(([, value]) => value ?? '');
}

describe('while a request is at work', () => {
  test('the next one waits and is then served in the lane', async () => {
    const { door, release, begun, calls } = heldDoor();
    const road = await openRoad('lane', { door });
    const client = rawClient(road.server.port);
    client.send(plainPost('1'));
    await begun(1);
    client.send(plainPost('2'));
    await wait(20);
    expect(calls()).toBe(1);
    release(1);
    await begun(1);
    client.send(plainPost('3'));
    await wait(20);
    release(2);
    await begun(1);
    release(3);
    expect(await answersOf(client, 3)).toEqual(['1', '2', '3']);
    expect(road.nodeRequests()).toBe(0);
    await road.server.stop(0);
  });

  test('a broken-off next one goes to node afterwards, and no byte is lost', async () => {
    const { door, release, begun } = heldDoor();
    const road = await openRoad('lane', { door });
    const client = rawClient(road.server.port);
    client.send(plainPost('1'));
    await begun(1);
    const [second, third] = [plainPost('2'), plainPost('3')];
    for (const piece of [second.slice(0, 30), second.slice(30) + third.slice(0, 5), third.slice(5)]) {
      client.send(piece);
      await wait(10);
    }
    expect(road.nodeRequests()).toBe(0);
    for (const value of [1, 2, 3]) {
      await begun(1);
      release(value);
    }
    expect(await answersOf(client, 3)).toEqual(['1', '2', '3']);
    expect(road.nodeRequests()).toBe(2);
    await road.server.stop(0);
  });

  test('a flood behind it stays in the network, not in memory', async () => {
    const { door, begun } = heldDoor();
    const road = await openRoad('lane', { door });
    const client = rawClient(road.server.port);
    client.send(plainPost('1'));
    await begun(1);
    const flood = plainPost('2').repeat(10_000);
    for (let i = 0; i < 32; i += 1) client.send(flood);
    await wait(200);
    expect(client.socket.writableLength).toBeGreaterThan(0);
    client.socket.destroy();
    await road.server.stop(0);
  });
});

test('whoever does not read its answers is not served any further until it does', async () => {
  let calls = 0;
  const big = 'x'.repeat(2 * 1024 * 1024);
  const door: AnswerCall = () => {
    calls += 1;
    return { status: 200, body: { value: calls, big } };
  };
  const road = await openRoad('lane', { door });
  const client = rawClient(road.server.port);
  client.socket.pause();
  // Each request is sent alone, when the one before it was served, until one is not.
  const isServed = async (count: number): Promise<boolean> => {
    for (let i = 0; i < 100 && calls < count; i += 1) await wait(2);
    return calls === count;
  };
  let sent = 0;
  do {
    client.send(plainPost('1'));
    sent += 1;
  } while ((await isServed(sent)) && sent < 20);
  expect(sent).toBeLessThan(20);
  expect(calls).toBe(sent - 1);
  client.socket.resume();
  while (client.socket.bytesRead < sent * big.length) await wait(5);
  const text = await client.until(/^HTTP/);
  expect([...text.matchAll(/"value":(\d+)/g)].map(([, value]) => Number(value))).toEqual(
    Array.from({ length: sent }, (_, i) => i + 1),
  );
  expect(road.nodeRequests()).toBe(0);
  await road.server.stop(0);
});

describe.each(['lane', 'node'] as const)('a client that vanishes while the door works (%s)', (name) => {
  test.each(['destroy', 'resetAndDestroy', 'end'] as const)('by %s is logged as 499', async (way) => {
    const { door, release, begun } = heldDoor();
    const road = await openRoad(name, { door });
    const client = rawClient(road.server.port);
    client.send(plainPost('1'));
    await begun(1);
    client.socket[way]();
    await client.closed();
    await wait(20);
    release(1);
    while (road.lines().length === 0) await wait(1);
    expect(road.lines()).toMatchObject([{ status: 499, path: '/webhook' }]);
    await road.server.stop(0);
  });
});

describe('time and number', () => {
  test('a connection that sends nothing gets 408', async () => {
    const road = await openRoad('lane', { listening: { headersTimeoutMs: 50 } });
    const silent = rawClient(road.server.port);
    expect(await silent.closed()).toBe(
      'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
    );
    await road.server.stop(0);
  });

  test('a head that never ends gets 408 from node, also after a request in the lane', async () => {
    const road = await openRoad('lane', { listening: { headersTimeoutMs: 50 } });
    for (const first of ['', plainPost('1')]) {
      const slow = rawClient(road.server.port);
      slow.send(first);
      if (first !== '') await slow.until(ANSWER_END);
      slow.send('POST /webhook HTTP/1.1\r\nHost: ');
      expect(await slow.closed()).toContain('HTTP/1.1 408 Request Timeout\r\nConnection: close');
    }
    await road.server.stop(0);
  });

  test('an idle connection is closed a second after the announced time, one at work is not', async () => {
    const { door, release, begun } = heldDoor();
    const road = await openRoad('lane', { door, listening: { keepAliveTimeoutMs: 50 } });
    const [idle, atWork] = [rawClient(road.server.port), rawClient(road.server.port)];
    idle.send(plainPost('1'));
    await begun(1);
    release(1);
    await idle.until(/"value":1/);
    atWork.send(plainPost('2'));
    await begun(1);
    await idle.closed();
    await wait(300);
    release(2);
    expect(await atWork.until(/"value":2/)).toContain('200 OK');
    await road.server.stop(0);
  });

  test('no more connections are taken than may be', async () => {
    const road = await openRoad('lane', { listening: { maxConnections: 1 } });
    const first = rawClient(road.server.port);
    first.send(plainPost('1'));
    await first.until(ANSWER_END);
    const second = rawClient(road.server.port);
    second.send(plainPost('2'));
    expect(await second.closed()).toBe('');
    await road.server.stop(0);
  });
});

describe('a stop', () => {
  test('closes idle connections at once', async () => {
    const road = await openRoad('lane');
    const client = rawClient(road.server.port);
    client.send(plainPost('1'));
    await client.until(ANSWER_END);
    await Promise.all([road.server.stop(600_000), client.closed()]);
  });

  test('answers what is at work with Connection: close, and nothing that came behind it', async () => {
    const { door, release, begun, calls } = heldDoor();
    const road = await openRoad('lane', { door });
    const client = rawClient(road.server.port);
    client.send(plainPost('1'));
    await begun(1);
    client.send(plainPost('2'));
    await wait(20);
    const stopped = road.server.stop(10_000);
    release(1);
    const answer = await client.closed();
    expect(answer).toMatch(/\r\nDate: [^\r]*\r\nConnection: close\r\n\r\n\{"value":1\}$/);
    await stopped;
    expect(calls()).toBe(0);
  });

  test('cuts off what does not end in time, and who never sent a request', async () => {
    const { door, begun } = heldDoor();
    const road = await openRoad('lane', { door });
    const [atWork, silent] = [rawClient(road.server.port), rawClient(road.server.port)];
    atWork.send(plainPost('1'));
    await begun(1);
    await road.server.stop(50);
    expect(await atWork.closed()).toBe('');
    expect(await silent.closed()).toBe('');
  });

  test('still serves the first request of a connection that was just opened', async () => {
    const road = await openRoad('lane');
    const client = rawClient(road.server.port);
    await wait(20);
    const stopped = road.server.stop(10_000);
    client.send(plainPost('1'));
    expect(await client.closed()).toMatch(/200 OK.*Connection: close/s);
    await stopped;
  });
});

describe('a connection that has said nothing when the stop comes', () => {
  test('does not hold the stop up', async () => {
    const road = await openRoad('lane');
    const silent = rawClient(road.server.port);
    await new Promise((resolve) => silent.socket.once('connect', resolve));
    await wait(20);
    await road.server.stop(600_000);
    expect(await silent.closed()).toBe('');
  });

  test('still gets the answer to a request that was on its way', async () => {
    const road = await openRoad('lane');
    const client = rawClient(road.server.port);
    await new Promise((resolve) => client.socket.once('connect', resolve));
    await wait(20);
    const stopped = road.server.stop(10_000);
    client.send(plainPost('{}'));
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 \d{3} /);
    await stopped;
  });
});
