// What one client can make the server hold: requests sent ahead, answers that nobody takes, silence, and the stop.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { CONNECTION_LIMITS } from './connections.ts';
import { type Listening, type ListenOptions, listen } from './server.ts';
import { rawClient } from './testing/raw-client.ts';

const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
/** The most that may come on one connection while the first is at work. */
const MOST = 1 + CONNECTION_LIMITS.maxWaitingRequests;
const BIG = Buffer.alloc(336 * 1024, 'x');

let server: Listening | undefined;
afterEach(() => server?.stop(0));

async function serve(listener: ListenOptions['listener'], options: Partial<ListenOptions> = {}): Promise<Listening> {
  server = await listen({ host: '127.0.0.1', port: 0, listener, ...options });
  return server;
}

const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await wait(2);
};

describe('a hundred requests in one packet', () => {
  test('from a client that reads nothing make one answer, not a hundred; another client is answered meanwhile', async () => {
    let made = 0;
    const { port, url, untakenBytes } = await serve((_, outgoing) => {
      made += 1;
      outgoing.end(BIG);
    });
    const greedy = rawClient(port);
    greedy.socket.pause();
    greedy.send(GET.repeat(MOST));
    await until(() => untakenBytes() > 0);
    for (let i = 0; i < 20; i += 1) {
      const before = made;
      expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(BIG.length);
      // Whatever the network has room for besides, what waits in memory is one answer.
      expect(untakenBytes()).toBeLessThanOrEqual(BIG.length + 1024);
      expect(made - before).toBeLessThan(20);
    }
    greedy.socket.destroy();
  });

  test('are answered in order as the client takes them, and the connection stays open', async () => {
    let made = 0;
    const { port } = await serve((_, outgoing) => {
      made += 1;
      outgoing.end(`answer ${made};`);
    });
    const client = rawClient(port);
    client.send(GET.repeat(MOST));
    const text = await client.until(new RegExp(`answer ${MOST};`));
    expect([...text.matchAll(/answer (\d+);/g)].map(([, n]) => Number(n))).toEqual(
      Array.from({ length: MOST }, (_, i) => i + 1),
    );
    client.send(GET);
    expect(await client.until(new RegExp(`answer ${MOST + 1};`))).not.toContain('Connection: close');
    client.socket.destroy();
  });
});

describe('more requests than may wait', () => {
  test.each([MOST + 1, 50_000])('close the connection at once, and no more is read of it: %i', async (sent) => {
    let begun = 0;
    let parsed = 0;
    const count = (): void => {
      parsed += 1;
    };
    subscribe('http.server.request.start', count);
    const { port } = await serve(() => {
      begun += 1;
    });
    const client = rawClient(port);
    client.send(GET.repeat(sent));
    expect(await client.closed()).toBe('');
    unsubscribe('http.server.request.start', count);
    expect(begun).toBe(1);
    // What came in the same packet is parsed before anybody can stop it: 64 KiB hold fewer than 2,000 of these.
    expect(parsed).toBeGreaterThan(MOST);
    expect(parsed).toBeLessThan(4000);
  });
});

test('of one connection one request is at work at a time', async () => {
  let atWork = 0;
  let most = 0;
  const { port } = await serve(async (_, outgoing) => {
    atWork += 1;
    most = Math.max(most, atWork);
    await wait(5);
    atWork -= 1;
    outgoing.end('done');
  });
  const client = rawClient(port);
  client.send(GET.repeat(5));
  await client.until(/(done.*){5}/s);
  expect(most).toBe(1);
});

describe('a client that takes nothing of its answer', () => {
  test('is cut off after a while', async () => {
    const { port, untakenBytes } = await serve((_, outgoing) => outgoing.end(Buffer.alloc(32 * 1024 * 1024)), {
      stalledTimeoutMs: 50,
    });
    const client = rawClient(port);
    client.socket.pause();
    client.send(GET);
    await until(() => untakenBytes() > 0);
    await until(() => untakenBytes() === 0);
    client.socket.resume();
    expect((await client.closed()).length).toBeLessThan(32 * 1024 * 1024);
  });

  test('is not taken for one whose answer is still being made', async () => {
    const { port } = await serve((_, outgoing) => setTimeout(() => outgoing.end('late'), 1300), {
      // Long enough for the request to arrive on a busy machine: before it does, a silent client is cut off.
      stalledTimeoutMs: 500,
    });
    const client = rawClient(port);
    client.send(GET);
    expect(await client.until(/late/)).toContain('200 OK');
    client.socket.destroy();
  });

  test('is cut off at once when all of them together hold too much, the largest first', async () => {
    const connectionLimits = { ...CONNECTION_LIMITS, maxUntakenBytes: 24 * 1024 * 1024 };
    const { port, untakenBytes } = await serve(
      (incoming, outgoing) => outgoing.end(Buffer.alloc(Number(incoming.url?.slice(1)) * 1024 * 1024)),
      { connectionLimits },
    );
    const clients = [32, 16].map((mebibytes) => {
      const client = rawClient(port);
      client.socket.pause();
      client.send(`GET /${mebibytes} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      return client;
    });
    await until(() => untakenBytes() > connectionLimits.maxUntakenBytes);
    await until(() => untakenBytes() <= connectionLimits.maxUntakenBytes);
    expect(untakenBytes()).toBeGreaterThan(0);
    const [large, small] = clients;
    large?.socket.resume();
    expect((await large?.closed())?.length).toBeLessThan(32 * 1024 * 1024);
    small?.socket.destroy();
  });
});

describe('a stop', () => {
  test('answers what is at work and nothing that came behind it', async () => {
    let calls = 0;
    let finish = (): void => {};
    const running = await serve((_, outgoing) => {
      calls += 1;
      finish = () => outgoing.end('first');
    });
    const client = rawClient(running.port);
    client.send(GET + GET);
    await until(() => calls === 1);
    const stopped = running.stop(10_000);
    finish();
    expect(await client.closed()).toMatch(/Connection: close.*first$/s);
    await stopped;
    expect(calls).toBe(1);
  });

  test('is not held up by a connection that never said anything', async () => {
    const running = await serve((_, outgoing) => outgoing.end('done'));
    const silent = rawClient(running.port);
    await new Promise((resolve) => silent.socket.once('connect', resolve));
    await wait(20);
    let isOver = false;
    const stopped = running.stop(600_000).then(() => {
      isOver = true;
    });
    expect(await silent.closed()).toBe('');
    await stopped;
    expect(isOver).toBe(true);
  });
});
