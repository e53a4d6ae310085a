// The page's part on the stream as a test: its frames are the real ones, its messages work, and its limits are those of the code.

import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { openTestHub } from '../../src/market-data/testing/open-test-hub.ts';
import { until } from '../support/venue-servers/open-feed.ts';
import { openStreamServer } from './stream-clients.ts';

const PAGE = readFileSync(new URL('../../docs/api/scripts.md', import.meta.url), 'utf8');
const [, SECTION = ''] = /^## Market-data stream$([\s\S]*?)(?=^## )/m.exec(PAGE) ?? [];
const FRAMES = Array.from(SECTION.matchAll(/^```json\n(.*)\n```/gm), ([, text = '']) => JSON.parse(text));
const MESSAGES = Array.from(SECTION.matchAll(/`(\{"action".*?\})`/g), ([, text = '']) => JSON.parse(text));

let stop: (() => Promise<unknown>) | undefined;
afterEach(async () => {
  await stop?.();
});

/** Names and kinds of everything in it, deep down. */
const shapeOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]))
    : typeof value;

test('the frames shown have the shape of those that are sent', async () => {
  const { clock, hub, feed, closeOne } = openTestHub();
  feed.markets.add('ETHUSDT');
  const server = await openStreamServer(hub);
  stop = server.stop;
  const client = await server.connect();
  await clock.advance(0);
  await closeOne();
  client.say({ action: 'subscribe', symbol: 'BTC USDT', interval: '1m' });
  await until('an error', () => client.frames.some(({ type }) => type === 'error'));
  expect(FRAMES.map(({ type }) => type)).toEqual(['status', 'kline', 'error']);
  for (const shown of FRAMES) {
    const sent = client.frames.find(({ type, bar }) => type === shown.type && (bar === undefined || bar.closed));
    expect(shapeOf(sent)).toEqual(shapeOf(shown));
    if (shown.type === 'error') expect(sent).toEqual(shown);
  }
});

test('the messages shown are understood', async () => {
  const { clock, hub, feed } = openTestHub();
  feed.markets.add('ETHUSDT');
  const server = await openStreamServer(hub);
  stop = server.stop;
  const client = await server.connect('');
  expect(MESSAGES.map(({ action }) => action)).toEqual(['subscribe', 'unsubscribe', 'ping']);
  for (const [index, message] of MESSAGES.entries()) {
    client.say(message);
    await until(JSON.stringify(message), () => client.frames.length > index);
    await clock.advance(0);
  }
  await until('all answers', () => client.frames.at(-1)?.type === 'pong');
  expect(client.frames.some(({ type }) => type === 'error')).toBe(false);
});

test('the limits named are those of the code', () => {
  const source = ['stream.ts', 'stream-topics.ts']
    .map((file) => readFileSync(new URL(`../../src/services/scripts/${file}`, import.meta.url), 'utf8'))
    .join('');
  for (const [code, words] of [
    ['MAX_TOPICS = 10;', 'up to 10 on a connection'],
    ['MAX_TOPICS = 100;', 'there is room for (100)'],
    ['MAX_MESSAGE_BYTES = 4096;', 'longer than 4096 bytes'],
    ['MAX_BUFFERED_BYTES = 1024 * 1024;', 'more than 1 MiB waited'],
  ]) {
    expect(source).toContain(code);
    expect(SECTION).toContain(words);
  }
});
