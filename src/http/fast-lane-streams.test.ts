// Random byte streams, honest and hostile, to a server with the fast lane and one without: they must end alike.
import { once } from 'node:events';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnswerCall } from './endpoint.ts';
import { rawClient } from './raw-client.ts';
import {
  obedientDoor,
  openRoad,
  plainPost,
  type RoadName,
  type RoadServer,
  withoutDate,
  withoutIds,
} from './road-fixture.ts';

interface Watched extends RoadServer {
  // The bodies that reached the door: what was really done, whatever was answered.
  done: string[];
}

async function openWatched(name: RoadName): Promise<Watched> {
  const done: string[] = [];
  const door: AnswerCall = (call) => {
    done.push(Buffer.from(call.body).toString('latin1'));
    return obedientDoor(call);
  };
  return { ...(await openRoad(name, { door })), done };
}

let lane: Watched;
let node: Watched;
beforeAll(async () => {
  [lane, node] = await Promise.all([openWatched('lane'), openWatched('node')]);
});
afterAll(() => Promise.all([lane.server.stop(0), node.server.stop(0)]));

// Client and servers share one event loop, so after a few turns every byte that is sent has been read and answered.
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i += 1) await turn();
  await wait(1);
  for (let i = 0; i < 5; i += 1) await turn();
}

interface Ending {
  answers: string[];
  // The server has said that it could not make sense of the bytes.
  isMalformed: boolean;
  done: string[];
  closedByServer: boolean;
}

async function play(road: Watched, pieces: readonly string[]): Promise<Ending> {
  road.done.length = 0;
  const client = rawClient(road.server.port);
  await once(client.socket, 'connect');
  await settle();
  for (const piece of pieces) {
    if (client.socket.writable) client.socket.write(piece, 'latin1');
    await settle();
  }
  const closedByServer = client.socket.readableEnded || client.socket.destroyed;
  client.socket.end();
  const all = withoutIds(withoutDate(await client.closed())).split(/(?=HTTP\/1\.1 )/);
  const answers = all.filter((answer) => !MALFORMED.test(answer));
  // Node begins all requests of a packet at once, and those that Hono takes are a little slower to begin.
  return { answers, isMalformed: answers.length < all.length, done: [...road.done].sort(), closedByServer };
}

const MALFORMED = /^HTTP\/1\.1 4\d\d [^\r]*\r\nConnection: close\r\nContent-Length: 0\r\n\r\n$/;

async function playOnBoth(pieces: readonly string[]): Promise<Ending> {
  const [byLane, byNode] = await Promise.all([play(lane, pieces), play(node, pieces)]);
  expect(byLane.done).toEqual(byNode.done);
  expect(byLane.closedByServer).toBe(byNode.closedByServer);
  if (byLane.isMalformed || byNode.isMalformed) expect(isWithin(byLane.answers, byNode.answers)).toBe(true);
  else expect(byLane.answers).toEqual(byNode.answers);
  return byLane;
}

// Node refuses malformed bytes at once, and answers still unwritten for requests in the same packet are lost. Which are
// lost depends on how node came by the packet, so here, and only here, one side may have fewer answers than the other.
function isWithin(some: readonly string[], others: readonly string[]): boolean {
  const [few, many] = some.length < others.length ? [some, others] : [others, some];
  let at = 0;
  for (const answer of many) if (answer === few[at]) at += 1;
  return at === few.length;
}

const GOOD = plainPost('1');
const post = (fields: string, body: string, line = 'POST /webhook HTTP/1.1'): string =>
  `${line}\r\nHost: a\r\n${fields}\r\n\r\n${body}`;
const hidden = plainPost('"hidden"');

const SMUGGLED: Record<string, string> = {
  'a length and chunks': post('Content-Length: 6\r\nTransfer-Encoding: chunked', `0\r\n\r\n${hidden}`),
  'chunks and a length': post('Transfer-Encoding: chunked\r\nContent-Length: 6', `0\r\n\r\n${hidden}`),
  'chunks in another case': post('Content-Length: 6\r\ntRANSFER-eNCODING: cHUNKED', `0\r\n\r\n${hidden}`),
  'an unknown coding': post('Content-Length: 1\r\nTransfer-Encoding: xchunked', `1${hidden}`),
  'two equal lengths': post('Content-Length: 1\r\nContent-Length: 1', `1${hidden}`),
  'two lengths': post(`Content-Length: 1\r\nContent-Length: ${1 + hidden.length}`, `1${hidden}`),
  'a list of lengths': post('Content-Length: 1, 1', '1'),
  'a signed length': post('Content-Length: +1', '1'),
  'a negative length': post('Content-Length: -1', '1'),
  'a hexadecimal length': post('Content-Length: 0x1', '1'),
  'an empty length': post('Content-Length:', '1'),
  'a length with blanks behind': post('Content-Length: 1 \t', '1'),
  'a length with leading zeros': post('Content-Length: 001', '1'),
  'a huge length': post('Content-Length: 99999999999999999999', '1'),
  'a blank before the colon': post('Content-Length : 1', '1'),
  'a folded length': post('Content-Length:\r\n 1', '1'),
  'a folded coding': post('Content-Length: 1\r\nTransfer-Encoding:\r\n chunked', '1'),
  'bare line feeds': GOOD.replaceAll('\r\n', '\n'),
  'one bare line feed': GOOD.replace('\r\n', '\n'),
  'a bare carriage return': post('X: a\rContent-Length: 9\r\nContent-Length: 1', '1'),
  'a NUL in a value': post('X: a\0b\r\nContent-Length: 1', '1'),
  'a byte beyond ASCII': post('X: \xe9\r\nContent-Length: 1', '1'),
  'no Host': 'POST /webhook HTTP/1.1\r\nContent-Length: 1\r\n\r\n1',
  'two Hosts': post('Host: b\r\nContent-Length: 1', '1'),
  'no length': post('X: y', ''),
  'an absolute target': post('Content-Length: 1', '1', 'POST http://a/webhook HTTP/1.1'),
  'a target with a fragment': post('Content-Length: 1', '1', 'POST /webhook#x HTTP/1.1'),
  'another version': post('Content-Length: 1', '1', 'POST /webhook HTTP/1.0'),
  'an unknown version': post('Content-Length: 1', '1', 'POST /webhook HTTP/3.7'),
  'empty lines in front': `\r\n\r\n${GOOD}`,
  'a lower-case method': post('Content-Length: 1', '1', 'post /webhook HTTP/1.1'),
  'another method': post('Content-Length: 1', '1', 'PUT /webhook HTTP/1.1'),
  'another path': 'GET /other HTTP/1.1\r\nHost: a\r\n\r\n',
  'an upgrade': post('Connection: upgrade\r\nUpgrade: x\r\nContent-Length: 1', '1'),
  'a close': post('Connection: close\r\nContent-Length: 1', '1'),
  'an old close': post('Proxy-Connection: close\r\nContent-Length: 1', '1'),
  'a trailer': post('Trailer: x\r\nContent-Length: 1', '1'),
  'too large a body': plainPost(' '.repeat(65)),
  'too large a head': plainPost('1', `X: ${'x'.repeat(17_000)}\r\n`),
  'too many fields': plainPost('1', 'X: y\r\n'.repeat(100)),
  'a request hidden in a body': plainPost(hidden.slice(0, 64)),
  'more than its length says': `${GOOD}garbage\r\n\r\n`,
};

describe.each(Object.entries(SMUGGLED))('%s', (_, bytes) => {
  test('ends alike as the first request, as a later one, in two pieces and with a request behind', async () => {
    await playOnBoth([bytes]);
    await playOnBoth([GOOD, bytes, GOOD]);
    await playOnBoth([GOOD, bytes + GOOD]);
    await playOnBoth([bytes.slice(0, 25), bytes.slice(25), GOOD]);
  });
});

test('a request hidden behind a doubtful length is never carried out', async () => {
  for (const name of ['a length and chunks', 'chunks and a length', 'chunks in another case', 'two lengths']) {
    const { done, isMalformed } = await playOnBoth([GOOD, SMUGGLED[name] ?? '']);
    expect(done).toEqual(['1']);
    expect(isMalformed).toBe(true);
  }
});

const BODIES = ['1', '', 'null', '{"a":1}', '"é"', '"refuse"', '"headers"', '"close"', '"circle"', ' '.repeat(65)];
const honest = fc
  .tuple(
    fc.constantFrom(...BODIES),
    fc.constantFrom('', 'Connection: keep-alive\r\n', 'X-Forwarded-For: 192.0.2.1\r\n', 'Cookie: a\r\nCookie: b\r\n'),
    fc.constantFrom('/webhook', '/webhook', '/webhook?a=b', '/other'),
  )
  .map(([body, fields, path]) => Buffer.from(plainPost(body, fields, path)).toString('latin1'));

const POISON = [
  '\r',
  '\n',
  '\r\n',
  ':',
  ' ',
  '\t',
  '\0',
  '\x80',
  '+',
  '0',
  '9',
  ',',
  'x',
  'Transfer-Encoding: chunked\r\n',
];
const mutated = fc
  .tuple(honest, fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom(...POISON)), { minLength: 1, maxLength: 3 }))
  .map(([request, edits]) =>
    edits.reduce((text, [place, drop, poison]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + poison + text.slice(at + drop);
    }, request),
  );
const smuggled = fc.constantFrom(...Object.values(SMUGGLED));

// Most cuts lie between requests, so that the lane is really taken before the hostile bytes come.
const stream = fc
  .tuple(
    fc.array(fc.oneof({ weight: 4, arbitrary: honest }, { weight: 2, arbitrary: mutated }, smuggled), {
      minLength: 1,
      maxLength: 4,
    }),
    fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant('whole') }, fc.constant('joined'), fc.nat()), {
      minLength: 4,
      maxLength: 4,
    }),
  )
  .map(([requests, cuts]) => {
    const pieces: string[] = [''];
    requests.forEach((request, i) => {
      const cut = cuts[i] ?? 'whole';
      const at = typeof cut === 'number' ? cut % request.length : request.length;
      pieces[pieces.length - 1] += request.slice(0, at);
      if (typeof cut === 'number') pieces.push(request.slice(at));
      if (cut !== 'joined') pieces.push('');
    });
    return pieces.filter((piece) => piece !== '');
  });

test('any stream ends alike, however it is cut', async () => {
  const byLane = (): number => node.nodeRequests() - lane.nodeRequests();
  const before = byLane();
  await fc.assert(
    fc.asyncProperty(stream, async (pieces) => {
      await playOnBoth(pieces);
    }),
    { numRuns: 300 },
  );
  // A good part of it must have been the lane's own work, or nothing was compared.
  expect(byLane() - before).toBeGreaterThan(50);
}, 60_000);
