// The clients of one market: the same bytes for all, in slices, and nobody waits for one that does not read.

import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../market-data/testing/model-feed.ts';
import { BEFORE } from '../../market-data/testing/open-test-hub.ts';
import { BTC, openStream } from './testing/open-stream.ts';

describe('clients', () => {
  test('of one market get the very same bytes, made once', async () => {
    const { clock, closeOne, route } = openStream();
    const sent: unknown[][] = [[], []];
    for (const frames of sent)
      route.open(
        { bufferedBytes: 0, sendText: (frame) => void frames.push(frame), close: () => {} },
        { requestId: '1', clientAddress: '', query: new URLSearchParams(BTC), header: () => undefined },
      );
    await clock.advance(0);
    await closeOne();
    const [a = [], b = []] = sent;
    expect(a.length).toBeGreaterThan(3);
    for (const [i, frame] of a.entries()) expect(frame).toBe(b[i]);
  });

  test('that leave take the upstream with them after a while, and come back to a live market before', async () => {
    const { clock, feed, connect } = openStream();
    const first = connect('symbol=BTCUSDT&interval=1m');
    await clock.advance(0);
    first.close();
    await clock.advance(20_000);
    const second = connect('symbol=BTCUSDT&interval=1m');
    await clock.settle();
    expect(second.frames.map(({ state, type }) => state ?? type)).toEqual(['live', 'kline']);
    second.close();
    await clock.advance(30_000);
    expect(feed.followed).toBe(0);
  });

  test('with more than the limit unread are closed with 1013, and the others do not notice', async () => {
    const { clock, hub, closeOne, connect } = openStream({ maxBufferedBytes: 1000 });
    const stuck = connect('symbol=BTCUSDT&interval=1m');
    const other = connect('symbol=BTCUSDT&interval=1m');
    await clock.advance(0);
    stuck.socket.bufferedBytes = 1000;
    await closeOne({ closed: false });
    expect(stuck.closes).toEqual([]);
    stuck.socket.bufferedBytes = 1001;
    const before = stuck.frames.length;
    await closeOne();
    expect(stuck.closes).toEqual([[1013, 'this connection reads too slowly; connect again, and follow fewer markets']]);
    expect(stuck.frames).toHaveLength(before);
    expect(other.frames.filter(({ bar }) => bar?.closed)).toHaveLength(2);
    expect(hub.size.listeners).toBe(1);
  });

  test('whose sockets fail are passed over', async () => {
    const { clock, closeOne, connect } = openStream();
    const failing = connect('symbol=BTCUSDT&interval=1m');
    const other = connect('symbol=BTCUSDT&interval=1m');
    await clock.advance(0);
    failing.socket.sendText = () => {
      throw new Error('the socket is gone');
    };
    await closeOne();
    await closeOne();
    expect(other.frames.filter(({ bar }) => bar?.closed)).toHaveLength(2);
  });

  test('by the thousand are served in slices: other work has its turn in between, order is kept', async () => {
    let nowMs = 0;
    const { clock, feed, route } = openStream({ monotonicMs: () => nowMs });
    const served: string[] = [];
    for (let i = 0; i < 100; i += 1)
      route.open(
        {
          bufferedBytes: 0,
          sendText(text) {
            // Each costs a millisecond, so that sixteen are more than a slice.
            nowMs += 1;
            const { bar } = JSON.parse(String(text));
            if (bar !== undefined) served.push(`${i} ${bar.time / MINUTE_MS} ${bar.closed}`);
          },
          close: () => {},
        },
        { requestId: '1', clientAddress: '', query: new URLSearchParams(BTC), header: () => undefined },
      );
    await clock.advance(0);
    for (let turns = 0; turns < 50; turns += 1) await turn();
    served.length = 0;
    feed.closeOne();
    expect(served).toHaveLength(16);
    await turn();
    expect(served.length).toBeLessThan(100);
    for (let turns = 0; turns < 50; turns += 1) await turn();
    expect(served).toHaveLength(200);
    for (let i = 0; i < 100; i += 1)
      expect(served.filter((line) => line.startsWith(`${i} `))).toEqual([`${i} 1000 true`, `${i} 1001 false`]);
  });

  test('that are being served get the newest of several changes of a bar, and every closed bar', async () => {
    let nowMs = 0;
    const { clock, feed, route } = openStream({ monotonicMs: () => nowMs });
    const served: string[] = [];
    for (let i = 0; i < 40; i += 1)
      route.open(
        {
          bufferedBytes: 0,
          sendText(text) {
            nowMs += 1;
            const { bar } = JSON.parse(String(text));
            if (bar !== undefined && i === 39) served.push(`${bar.time / MINUTE_MS} ${bar.volume} ${bar.closed}`);
          },
          close: () => {},
        },
        { requestId: '1', clientAddress: '', query: new URLSearchParams(BTC), header: () => undefined },
      );
    await clock.advance(0);
    for (let turns = 0; turns < 50; turns += 1) await turn();
    served.length = 0;
    for (let volume = 1; volume <= 5; volume += 1) feed.emit({ ...feed.bar(BEFORE), volume });
    feed.closeOne();
    feed.closeOne();
    for (let turns = 0; turns < 50; turns += 1) await turn();
    expect(served).toEqual([
      '1000 1 false',
      '1000 5 false',
      '1000 10 true',
      '1001 3 false',
      '1001 10 true',
      '1002 3 false',
    ]);
  });
});
