// Test fixture of the three roads to a door (fast lane, node's objects, Hono): one server each, with the same door.
import { setTimeout as wait } from 'node:timers/promises';
import type { Answer } from './answer.ts';
import { createAddressList } from './client-address.ts';
import type { KitContext } from './context.ts';
import { nodeListener } from './door.ts';
import type { AnswerCall } from './endpoint.ts';
import { Refusal } from './errors.ts';
import { createFixture, type Fixture } from './fixture.ts';
import { parseJsonBody } from './json-body.ts';
import { fastDoorsOf, mountEndpoints } from './mount-endpoints.ts';
import { type Listening, type ListenOptions, listen } from './server.ts';

export const LIMIT_BYTES = 64;

// Does whatever the body tells it to.
export const obedientDoor: AnswerCall = ({ body, requestId, clientAddress, headers }) => {
  const parsed = parseJsonBody(body);
  if (!parsed.ok) throw new Refusal('INVALID_JSON', parsed.message);
  const { value } = parsed;
  const answer: Answer = {
    status: 200,
    body: { success: true, requestId, clientAddress, value, cookie: headers('Cookie') },
  };
  if (value === 'async') return wait(5).then(() => answer);
  if (value === 'reject') return Promise.reject(new Error('broken'));
  if (value === 'refuse') throw new Refusal('RATE_LIMITED', undefined, { headers: { 'Retry-After': '3', Allow: 'x' } });
  if (value === 'circle') return { status: 200, body: { big: 1n } };
  if (value === 'headers') return { ...answer, status: 202, headers: { 'X-Zebra': 'z', 'Cache-Control': 'private' } };
  if (value === 'bad header') return { ...answer, headers: { 'X-Bad': 'a\nb' } };
  if (value === 'bad name') return { ...answer, headers: { 'X Bad': 'a' } };
  if (value === 'server header') return { ...answer, headers: { 'Transfer-Encoding': 'chunked' } };
  if (value === 'close') return { ...answer, headers: { Connection: 'close' } };
  if (value === 'no body') return { ...answer, status: 204 };
  if (value === 'all headers') return { status: 200, body: ASKED.map((name) => [name, headers(name) ?? null]) };
  return answer;
};

const ASKED = ['Host', 'cookie', 'Set-Cookie', 'Content-Type', 'user-agent', 'X-Two', 'x-forwarded-for', 'missing'];

export interface RoadServer extends Fixture {
  server: Listening;
  // How many requests node:http has parsed: none of them went through the fast lane.
  nodeRequests: () => number;
}

export type RoadName = 'lane' | 'node' | 'hono';

export interface RoadOptions {
  door?: AnswerCall;
  limitBytes?: number;
  listening?: Partial<ListenOptions>;
}

export async function openRoad(name: RoadName, options: RoadOptions = {}): Promise<RoadServer> {
  const { door = obedientDoor, limitBytes = LIMIT_BYTES, listening } = options;
  const fixture = createFixture({ trustedProxies: createAddressList(['127.0.0.1']) });
  const about = { door: 'public', summary: 'x', tags: ['x'], responses: {} } as const;
  const endpoints = [
    { ...about, method: 'post', path: '/webhook', bodyLimitBytes: limitBytes, answer: door },
    { ...about, method: 'get', path: '/other', handler: (c: KitContext) => c.json({ other: true }) },
  ] as const;
  mountEndpoints(fixture.app, endpoints, { internal: () => {} });
  const roads = { app: fixture.app, doors: name === 'hono' ? [] : fastDoorsOf(endpoints, limitBytes) };
  const byNode = nodeListener(roads);
  let nodeRequests = 0;
  const server = await listen({
    listener: (incoming, outgoing) => {
      nodeRequests += 1;
      byNode(incoming, outgoing);
    },
    host: '127.0.0.1',
    port: 0,
    ...(name === 'lane' ? { fastLane: roads } : {}),
    ...listening,
  });
  return { ...fixture, server, nodeRequests: () => nodeRequests };
}

export function plainPost(body: string, headers = '', path = '/webhook'): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
}

// What no two answers have in common.
export function withoutDate(answer: string): string {
  return answer.replace(/\r\nDate: [^\r]*/g, '');
}

export function withoutIds(answer: string): string {
  return answer.replace(/00000000-0000-7000-8000-\d{12}/g, '<id>');
}

export async function traces({ lines, metrics }: Fixture) {
  const text = await metrics.registry.metrics();
  // Time and stack differ between any two requests; all else must not.
  const log = lines().map(({ time, err, ...rest }) => ({ ...rest, failed: err !== undefined }));
  return { log, counts: text.split('\n').filter((line) => line.startsWith('http_')) };
}
