// The fast lane beside node's road: the same bytes, the same log, the same metrics.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawClient } from './raw-client.ts';
import { LIMIT_BYTES, openRoad, plainPost, type RoadServer, traces, withoutDate } from './road-fixture.ts';

const ANSWER_END = /\r\n\r\n[[{].*[\]}]$/s;

describe('both roads send the same bytes', () => {
  let lane: RoadServer;
  let node: RoadServer;
  beforeAll(async () => {
    [lane, node] = await Promise.all([openRoad('lane'), openRoad('node')]);
  });
  afterAll(() => Promise.all([lane.server.stop(0), node.server.stop(0)]));

  const exchange = async (road: RoadServer, request: string): Promise<string> => {
    const client = rawClient(road.server.port);
    client.send(request);
    const answer = await client.until(ANSWER_END);
    client.socket.destroy();
    return withoutDate(answer);
  };
  const onBoth = async (request: string): Promise<string> => {
    const [byLane, byNode] = await Promise.all([exchange(lane, request), exchange(node, request)]);
    expect(byLane).toBe(byNode);
    return byLane;
  };

  test('for a plain success', async () => {
    const answer = await onBoth(plainPost('{"a":1}'));
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\ncache-control: no-store\r\n/);
    expect(answer).toContain('\r\nConnection: keep-alive\r\nKeep-Alive: timeout=65\r\n\r\n{');
  });

  test.each([
    '"async"',
    '"reject"',
    '"refuse"',
    '"circle"',
    '"headers"',
    '"bad header"',
    '"bad name"',
    '"server header"',
    '"close"',
    '"no body"',
    '"é漢😀"',
    '"é"',
    'null',
    '',
    'NaN',
    '{"a":1,"a":2}',
    JSON.stringify('x'.repeat(LIMIT_BYTES - 2)),
  ])('for the body %s', async (body) => {
    expect(await onBoth(plainPost(body))).toMatch(/^HTTP\/1\.1 \d{3} .*x-request-id: /s);
  });

  test.each([
    'X-Forwarded-For: 6.6.6.6\r\nx-forwarded-for: 192.0.2.5\r\n',
    'X-Forwarded-For:\r\n',
    'Cookie: a=1\r\nCookie: b=2\r\n',
    'Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n',
    'Content-Type: text/plain\r\nContent-Type: x/y\r\nUser-Agent: \t a \t\r\n',
    'X-Two: 1\r\nX-Two:\r\nx-two: 3\r\nConnection: keep-alive\r\n',
  ])('for the fields %j', async (fields) => {
    await onBoth(plainPost('1', fields));
    await onBoth(plainPost('"all headers"', fields));
  });

  test('for a query string', async () => {
    expect(await onBoth(plainPost('1', '', '/webhook?key=x'))).toContain('200 OK');
  });

  test('for any body, on one connection after another request', async () => {
    const warm = async (road: RoadServer, body: string): Promise<string> => {
      const client = rawClient(road.server.port);
      client.send(plainPost('"first"'));
      await client.until(/first/);
      client.send(plainPost(body));
      const answer = await client.until(/first.*\r\n\r\n\{.*\}$/s);
      client.socket.destroy();
      return withoutDate(answer);
    };
    const anyBody = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => JSON.stringify(text));
    await fc.assert(
      fc.asyncProperty(anyBody, async (body) => {
        const [byLane, byNode] = await Promise.all([warm(lane, body), warm(node, body)]);
        expect(byLane).toBe(byNode);
      }),
      { numRuns: 40 },
    );
  });

  test('and leave the same log and metrics, without node:http in the lane', async () => {
    const [byLane, byNode] = await Promise.all([traces(lane), traces(node)]);
    expect(byLane).toEqual(byNode);
    expect(byLane.log.length).toBeGreaterThan(100);
    expect(node.nodeRequests()).toBeGreaterThan(100);
    expect(lane.nodeRequests()).toBe(0);
  });
});
