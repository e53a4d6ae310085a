// The stream of the real program, as a charting client uses it.

import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startProcess } from '../support/process.ts';
import { until } from '../support/venue-servers/open-feed.ts';
import type { Frame } from './stream-clients.ts';

test('anybody hears live bars of the simulated market, labelled as such, until the program stops', async () => {
  const box = await startProcess();
  const frames: Frame[] = [];
  const socket = new WebSocket(`${box.url.replace('http', 'ws')}/api/stream?symbol=BTCUSDT&interval=1m`);
  socket.on('message', (data) => frames.push(JSON.parse(String(data))));
  await once(socket, 'open');
  const bars = () => frames.flatMap(({ bar }) => (bar === undefined ? [] : [bar]));
  await until('four bars', () => bars().length >= 4, 10_000);
  const states = frames.filter(({ type }) => type === 'status');
  expect(states.map(({ state }) => state)).toEqual(['connecting', 'live']);
  for (const { source } of states) expect(source).toBe('simulated');
  expect(Math.abs((bars().at(-1)?.time ?? 0) - Date.now())).toBeLessThan(70_000);

  socket.send(JSON.stringify({ action: 'subscribe', symbol: 'ETH/USDT', interval: '45m' }));
  await until('the other market', () => frames.some(({ symbol, bar }) => symbol === 'ETHUSDT' && bar !== undefined));
  socket.send('{"action":"subscribe","symbol":"BTCUSDT","interval":"1y"}');
  await until(
    'a refusal',
    () => frames.at(-1)?.code === 'INVALID_INTERVAL' || frames.some(({ code }) => code !== undefined),
  );
  expect(frames.find(({ type }) => type === 'error')?.code).toBe('INVALID_INTERVAL');

  // The page of the dashboard, opened from another machine; and one of a name that somebody lets lead here.
  const from = (host: string) =>
    new WebSocket(`${box.url.replace('http', 'ws')}/api/stream`, { headers: { host, origin: `http://${host}` } });
  await once(from('192.168.1.5:8787'), 'open');
  await expect(once(from('evil.example:8787'), 'open')).rejects.toThrow('403');

  const closed = once(socket, 'close');
  expect(await box.stop()).toBe(0);
  expect((await closed)[0]).toBe(1001);
});
