// The market-data stream, message by message.

import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../market-data/testing/model-feed.ts';
import { BEFORE } from '../../market-data/testing/open-test-hub.ts';
import { BTC, type Frame, openStream } from './testing/open-stream.ts';

describe('GET /api/stream?symbol=&interval=', () => {
  test('subscribes at once: the state with the source of the bars, then the newest bar', async () => {
    const { clock, connect } = openStream();
    const { frames } = connect('symbol=BTCUSDT&interval=1m');
    await clock.advance(0);
    expect(frames.map(({ type, state }) => [type, state])).toEqual([
      ['status', 'connecting'],
      ['kline', undefined],
      ['status', 'live'],
    ]);
    expect(frames[0]).toEqual({ type: 'status', state: 'connecting', ...BTC, source: 'binance' });
  });

  test('a kline frame has the bar in our words and in k as charting clients know it from Binance', async () => {
    const { clock, closeOne, connect } = openStream();
    const { frames } = connect('symbol=BTCUSDT&interval=1m');
    await clock.advance(0);
    await closeOne();
    const time = BEFORE * MINUTE_MS;
    expect(frames.find(({ bar }) => bar?.closed)).toEqual({
      type: 'kline',
      ...BTC,
      source: 'binance',
      bar: { time, open: 1000, high: 1002, low: 999, close: 1001, volume: 10, closed: true },
      k: { t: time, o: '1000', h: '1002', l: '999', c: '1001', v: '10', x: true },
    });
    expect(frames.at(-1)).toMatchObject({ bar: { closed: false }, k: { x: false } });
  });

  test('prices in k never have an exponent', async () => {
    const { clock, feed, connect } = openStream();
    const { frames } = connect('symbol=BTCUSDT&interval=1m');
    await clock.advance(0);
    feed.emit({ ...feed.bar(BEFORE), open: 1e-7, high: 1.5e-7, low: 0, close: 2.5, volume: 1e21 });
    expect(frames.at(-1)?.k).toMatchObject({
      o: '0.0000001',
      h: '0.00000015',
      l: '0',
      c: '2.5',
      v: `1${'0'.repeat(21)}`,
    });
  });

  test('without a query nothing is sent until the client asks', async () => {
    const { clock, connect } = openStream();
    const { frames, say } = connect();
    await clock.advance(0);
    expect(frames).toEqual([]);
    expect((await say({ action: 'subscribe', ...BTC }))[0]).toMatchObject({ type: 'status', state: 'connecting' });
  });

  test('any spelling of the symbol names the same market, and 60m is 1h', async () => {
    const { clock, feed, connect } = openStream();
    const all = ['BINANCE:BTCUSDT.P', 'BTC/USDT', 'btc_usdt', 'BTCUSDT'].map((symbol) =>
      connect(new URLSearchParams({ symbol, interval: '60m' }).toString()),
    );
    await clock.advance(0);
    for (const { frames } of all)
      expect(frames.at(-1)).toMatchObject({ state: 'live', symbol: 'BTCUSDT', interval: '1h' });
    expect(feed.upstreams).toBe(1);
  });
});

describe('what a client says', () => {
  test('ping is answered with pong', async () => {
    const { connect } = openStream();
    expect(await connect().say({ action: 'ping' })).toEqual([{ type: 'pong' }]);
  });

  test('subscribing a second time says again how things are, and bars still come once', async () => {
    const { clock, closeOne, connect } = openStream();
    const { frames, say } = connect('symbol=BTCUSDT&interval=1m');
    await clock.advance(0);
    const again = await say({ action: 'subscribe', ...BTC });
    expect(again.map(({ type, state }) => state ?? type)).toContain('live');
    await closeOne();
    expect(frames.filter(({ bar }) => bar?.closed)).toHaveLength(1);
  });

  test('unsubscribing is confirmed, and nothing more of that market is sent', async () => {
    const { closeOne, connect, route: _route } = openStream();
    const { frames, say } = connect('symbol=BTCUSDT&interval=1m');
    expect((await say({ action: 'unsubscribe', symbol: 'btc-usdt', interval: '1m' })).at(-1)).toEqual({
      type: 'status',
      state: 'unsubscribed',
      ...BTC,
      source: 'binance',
    });
    const before = frames.length;
    await closeOne();
    expect(frames).toHaveLength(before);
  });

  test('unsubscribing without a name lets go of everything; from what was never followed it is confirmed too', async () => {
    const { clock, hub, connect } = openStream();
    const { say } = connect('symbol=BTCUSDT&interval=1m');
    await say({ action: 'subscribe', symbol: 'BTCUSDT', interval: '5m' });
    const answers = await say({ action: 'unsubscribe' });
    expect(answers.map(({ state, interval }) => [state, interval])).toEqual([
      ['unsubscribed', '1m'],
      ['unsubscribed', '5m'],
    ]);
    expect(hub.size.listeners).toBe(0);
    expect(await say({ action: 'unsubscribe', ...BTC })).toMatchObject([{ state: 'unsubscribed' }]);
    await clock.settle();
  });

  test.each([
    ['nothing', ''],
    ['no JSON', '{"action"'],
    ['a list', '[]'],
    ['a text', '"ping"'],
    ['null', 'null'],
    ['deep nesting', `${'['.repeat(2000)}`],
  ])('%s is answered with INVALID_BODY and the connection stays', async (_name, text) => {
    const { connect } = openStream();
    const { say, closes } = connect();
    expect(await say(text)).toEqual([
      {
        type: 'error',
        code: 'INVALID_BODY',
        message: 'The message is not a JSON object. Send one like {"action":"ping"}.',
      },
    ]);
    expect(closes).toEqual([]);
  });

  test.each([{}, { action: 'SUBSCRIBE' }, { action: 5 }, { action: null }, { type: 'ping' }])(
    'the action of %j is answered with INVALID_ACTION',
    async (message) => {
      const { connect } = openStream();
      expect(await connect().say(message)).toMatchObject([{ type: 'error', code: 'INVALID_ACTION' }]);
    },
  );
});

describe('what cannot be followed', () => {
  const bad = (message: object) =>
    openStream()
      .connect()
      .say({ action: 'subscribe', ...BTC, ...message });

  test.each(['', ' ', 'A'.repeat(21), 'BTC USDT', '../x', ':', 'a::b', 5, null, {}, ['BTCUSDT']])(
    'the symbol %j is answered with INVALID_SYMBOL',
    async (symbol) => {
      const [frame, ...more] = await bad({ symbol });
      expect(frame).toMatchObject({ type: 'error', code: 'INVALID_SYMBOL', interval: '1m' });
      expect(frame?.message).toMatch(/send one such as BTCUSDT$/);
      expect(more).toEqual([]);
    },
  );

  test.each(['', '1', '0m', '1M', '1s', '1.5h', '-1m', '53w', '9999999999m', 60, null, {}])(
    'the interval %j is answered with INVALID_INTERVAL',
    async (interval) => {
      expect(await bad({ interval })).toMatchObject([{ type: 'error', code: 'INVALID_INTERVAL', symbol: 'BTCUSDT' }]);
    },
  );

  test('a missing symbol or interval is said to be missing, also in the query', async () => {
    const { connect } = openStream();
    expect(connect('interval=1m').frames[0]?.message).toBe('symbol: is missing, send one such as BTCUSDT');
    expect(connect('symbol=BTCUSDT').frames[0]?.message).toBe(
      'interval: is missing, send one such as 1m, 4h, 1d or 1w',
    );
  });

  test('a market the venue has not is answered with INVALID_SYMBOL in its words, once, and may be asked for again', async () => {
    const { feed, connect } = openStream();
    const { say } = connect();
    const ask = () => say({ action: 'subscribe', symbol: 'NOSUCH', interval: '1m' });
    const refused = {
      type: 'error',
      code: 'INVALID_SYMBOL',
      message: 'there is no market NOSUCH',
      symbol: 'NOSUCH',
      interval: '1m',
    };
    expect((await ask()).at(-1)).toEqual(refused);
    expect((await ask()).at(-1)).toEqual(refused);
    expect(feed.followed).toBe(0);
  });

  test('the eleventh market of one connection is refused, the others go on', async () => {
    const { connect } = openStream();
    const { say } = connect();
    for (let minutes = 1; minutes <= 10; minutes += 1)
      expect((await say({ action: 'subscribe', symbol: 'BTCUSDT', interval: `${minutes}m` }))[0]?.type).toBe('status');
    expect(await say({ action: 'subscribe', symbol: 'BTCUSDT', interval: '11m' })).toMatchObject([
      { type: 'error', code: 'TOO_MANY_SUBSCRIPTIONS', interval: '11m' },
    ]);
    expect((await say({ action: 'subscribe', symbol: 'BTCUSDT', interval: '10m' }))[0]?.type).toBe('status');
    await say({ action: 'unsubscribe', symbol: 'BTCUSDT', interval: '1m' });
    expect((await say({ action: 'subscribe', symbol: 'BTCUSDT', interval: '11m' }))[0]?.type).toBe('status');
  });

  test('one market more than all clients together may follow is refused; known ones are not', async () => {
    const { connect } = openStream({ maxTopics: 1 });
    connect('symbol=BTCUSDT&interval=1m');
    const { say } = connect();
    expect(await say({ action: 'subscribe', symbol: 'BTCUSDT', interval: '5m' })).toMatchObject([
      { code: 'UNAVAILABLE' },
    ]);
    expect((await say({ action: 'subscribe', ...BTC }))[0]).toMatchObject({ type: 'status' });
  });
});

describe('new markets', () => {
  /** Each opens a room of its own and lets go of it. */
  const flip = async (say: (message: unknown) => Promise<Frame[]>, count: number): Promise<(string | undefined)[]> => {
    const codes: (string | undefined)[] = [];
    for (let minutes = 1; minutes <= count; minutes += 1) {
      const [answer] = await say({ action: 'subscribe', symbol: 'BTCUSDT', interval: `${minutes}m` });
      codes.push(answer?.code);
      await say({ action: 'unsubscribe' });
    }
    return codes;
  };

  test('may be asked for thirty at once by one address, then one every two seconds; others are not held back', async () => {
    let nowMs = 0;
    const { connect } = openStream({ monotonicMs: () => nowMs });
    const { say } = connect('', '10.0.0.1');
    const codes = await flip(say, 31);
    expect(codes).toEqual([...Array(30).fill(undefined), 'UNAVAILABLE']);
    expect(await flip(connect('', '10.0.0.2').say, 1)).toEqual([undefined]);
    nowMs += 1999;
    expect(await flip(say, 1)).toEqual(['UNAVAILABLE']);
    nowMs += 1;
    expect(await flip(say, 1)).toEqual([undefined]);
  });

  test('may be asked for a hundred at once by all addresses together; a market that is open costs nothing', async () => {
    const { connect } = openStream({ monotonicMs: () => 0 });
    connect('symbol=BTCUSDT&interval=50m', '10.0.0.9');
    for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.3']) await flip(connect('', address).say, 30);
    const codes = await flip(connect('', '10.0.0.4').say, 10);
    expect(codes).toEqual([...Array(9).fill(undefined), 'UNAVAILABLE']);
    const known = connect('symbol=BTCUSDT&interval=50m', '10.0.0.4');
    expect(known.frames.map(({ type }) => type)).not.toContain('error');
  });
});

describe('an outage upstream', () => {
  test('shows as reconnecting, then every missed bar comes, then it is live again', async () => {
    const { clock, feed, closeOne, connect } = openStream();
    const { frames } = connect('symbol=BTCUSDT&interval=1m');
    await clock.advance(0);
    feed.lose('the socket was closed');
    await closeOne();
    await closeOne();
    feed.restore();
    await clock.settle();
    const story = frames
      .slice(3)
      .map(({ state, bar }) => state ?? `${Number(bar?.time) / MINUTE_MS}${bar?.closed ? '' : '…'}`);
    expect(story).toEqual(['reconnecting', '1000', '1001', '1002…', 'live']);
  });
});
