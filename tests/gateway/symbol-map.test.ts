// The owner's names for markets: stored, audited, in force at once, used at every door, and seen in answer and trade.

import { describe, expect, it } from 'vitest';
import type { Sent, TestGateway } from '../support/gateway.ts';
import { ask, openBot } from '../telegram/talk.ts';
import { expectFaults, expectFilled, expectRefusal, freshGateway } from '../webhook/answers.ts';

const PATH = '/admin/symbol-map';
const put = (gateway: TestGateway, entry: object): Promise<Sent> => gateway.request('PUT', PATH, entry);
const list = async (gateway: TestGateway) => (await gateway.request('GET', PATH)).body.result;

describe('a mapped symbol', () => {
  it('is traded as its market at every door, and answer and trade keep the name that was sent', async () => {
    const gateway = await freshGateway({ accounts: ['scalp'] });
    expectFaults(await gateway.send({ symbol: 'NQ1!' }), 'symbol');
    const entry = { symbol: 'nq1!', market: 'BTC/USDT', exchange: 'binance', account: 'scalp' };
    expect((await put(gateway, entry)).body.result).toEqual({ ...entry, symbol: 'NQ1!', market: 'BTCUSDT' });
    const alert = { apiKey: gateway.apiKey, exchange: 'CME_MINI', action: 'buy', marketPosition: 'long' };
    const lines = `apiKey: ${gateway.apiKey}\nexchange: binance\naction: LONG\nsymbol: NQ1!\nquantity: 0.01`;
    for (const sent of [
      await gateway.send({ symbol: 'NQ1!' }),
      await gateway.send({ symbol: 'NQ1!', notify: {} }),
      await gateway.request('POST', '/webhook/tradingview', { ...alert, ticker: 'NQ1!', contracts: '0.01' }),
      await gateway.request('POST', '/email-signal', { text: lines }),
      await gateway.request('POST', '/email-signal', {
        text: JSON.stringify({ ...alert, ticker: 'NQ1!', contracts: 1 }),
      }),
    ]) {
      expectFilled(sent);
      expect(sent.body.warnings).toContain('symbol: NQ1! is traded as BTCUSDT on binance, account scalp (symbol map)');
      expect(await gateway.trade(sent.body.requestId)).toMatchObject({
        ...{ symbol: 'NQ1!', market: 'BTCUSDT', exchange: 'binance', account: 'scalp' },
      });
    }
  });

  it('wins over the market that its name would be read as', async () => {
    const gateway = await freshGateway();
    await put(gateway, { symbol: 'BINANCE:BTCUSDT.P', market: 'ETHUSDT' });
    const sent = await gateway.send({ symbol: 'BINANCE:BTCUSDT.P', quantity: 0.1 });
    expectFilled(sent);
    expect((await gateway.trade(sent.body.requestId)).market).toBe('ETHUSDT');
    const plain = await gateway.send();
    expectFilled(plain);
    expect((await gateway.trade(plain.body.requestId)).market).toBe('BTCUSDT');
  });

  it.each(['ETHUSDT', 'eth/usdt', 'ETH-USDT', 'ETH_USDT', 'ETHUSDT.P', 'BINANCE:ETHUSDT', 'ETH/USDT:USDT'])(
    'that is the name of a market stands for every spelling of it, %s',
    async (symbol) => {
      const gateway = await freshGateway();
      await put(gateway, { symbol: 'ETHUSDT', market: 'BTCUSDT' });
      const { apiKey } = gateway;
      const entry = { apiKey, exchange: 'binance', action: 'LONG', symbol, quantity: 0.01 };
      const post = (path: string, body: object) => gateway.request('POST', path, body);
      for (const sent of [
        await gateway.send({ symbol }),
        await post('/webhook/tradingview', { ...entry, action: 'buy', marketPosition: 'long' }),
        await post('/email-signal', { text: JSON.stringify(entry) }),
        await post('/email-signal', { text: `apiKey: ${apiKey}\nLONG 0.01 ${symbol} on binance` }),
      ]) {
        expectFilled(sent);
        expect(sent.body.warnings).toContain('symbol: ETHUSDT is traded as BTCUSDT (symbol map)');
        expect(await gateway.trade(sent.body.requestId)).toMatchObject({ symbol, market: 'BTCUSDT' });
      }
    },
  );

  it.each(['BINANCE:1000PEPEUSDT.P', 'BYBIT:1000PEPE/USDT:USDT', '1000PEPEUSDT'])(
    'stands for spellings longer than a signal’s symbol too, %s',
    async (ticker) => {
      const gateway = await freshGateway();
      await put(gateway, { symbol: '1000PEPEUSDT', market: 'BTCUSDT' });
      const { apiKey } = gateway;
      const alert = { apiKey, exchange: 'binance', action: 'buy', marketPosition: 'long', ticker, contracts: '0.1' };
      for (const sent of [
        await gateway.request('POST', '/webhook/tradingview', alert),
        await gateway.request('POST', '/email-signal', { text: JSON.stringify(alert) }),
      ]) {
        expectFilled(sent);
        expect(sent.body.warnings).toContain('symbol: 1000PEPEUSDT is traded as BTCUSDT (symbol map)');
        expect(await gateway.trade(sent.body.requestId)).toMatchObject({ symbol: ticker, market: 'BTCUSDT' });
      }
    },
  );

  it.each(['ETHUSDT', 'eth/usdt', 'binance:ETHUSDT', 'BINANCE:ETHUSDT.P', 'ETH/USDT:USDT'])(
    'that is a market leaves the switches of that market where they are: %s',
    async (symbol) => {
      const gateway = await freshGateway();
      for (const market of ['ETHUSDT', 'BTCUSDT']) expectFilled(await gateway.send({ symbol: market, quantity: 0.1 }));
      await put(gateway, { symbol: 'ETHUSDT', market: 'BTCUSDT' });
      await put(gateway, { symbol: 'ETHUSDT.P', market: 'SOLUSDT' });
      const at = `/admin/restrictions/symbol/${encodeURIComponent(symbol)}`;
      const name = /binance/i.test(symbol) ? 'binance:ETHUSDT' : 'ETHUSDT';
      const warnings = [
        'symbol: signals for ETHUSDT are traded as BTCUSDT (symbol map); this is about the market ETHUSDT itself, name symbol:BTCUSDT for them',
        'symbol: signals for ETHUSDT.P are traded as SOLUSDT (symbol map); this is about the market ETHUSDT itself, name symbol:SOLUSDT for them',
      ];
      for (const [what, body] of [
        ['limits', { openPositions: 3 }],
        ['pause', { paused: true }],
        ['kill-switch', { active: true, flatten: true }],
      ] as const)
        expect((await gateway.request('PUT', `${at}/${what}`, body)).body).toMatchObject({
          result: { kind: 'symbol', name },
          warnings,
        });
      const held = (await gateway.request('GET', '/positions')).body.result;
      expect(held.map(({ market }: { market: string }) => market)).toEqual(['BTCUSDT']);
    },
  );

  it.each(['ETHUSD', 'eth/usd', 'binance:ETHUSD'])(
    'that is no market names the one it stands for: %s',
    async (symbol) => {
      const gateway = await freshGateway();
      await put(gateway, { symbol: 'ETHUSD', market: 'ETHUSDT' });
      const { body } = await gateway.request('PUT', `/admin/restrictions/symbol/${encodeURIComponent(symbol)}/pause`, {
        paused: true,
      });
      expect(body.result.name).toBe(symbol.startsWith('binance') ? 'binance:ETHUSDT' : 'ETHUSDT');
      expect(body.warnings).toBeUndefined();
    },
  );

  it('has an entry of its own for one spelling', async () => {
    const gateway = await freshGateway();
    await put(gateway, { symbol: 'ETHUSDT', market: 'BTCUSDT' });
    await put(gateway, { symbol: 'ETHUSDT.P', market: 'SOLUSDT' });
    const marketOf = async (symbol: string) =>
      (await gateway.trade((await gateway.send({ symbol, quantity: 1 })).body.requestId)).market;
    expect(await marketOf('ethusdt.p')).toBe('SOLUSDT');
    expect(await marketOf('ETH/USDT')).toBe('BTCUSDT');
  });

  it('is under the scope of its key by the market that is traded', async () => {
    const gateway = await freshGateway();
    await put(gateway, { symbol: 'NQ1!', market: 'ETHUSDT' });
    const apiKey = await gateway.keyWith('btc only', { symbols: ['BTCUSDT'] });
    expectRefusal(await gateway.send({ apiKey, symbol: 'NQ1!' }), 'KEY_OUT_OF_SCOPE');
  });

  it('is replaced, removed, kept over a restart, and every change is in the audit', async () => {
    const gateway = await freshGateway();
    await put(gateway, { symbol: 'NQ1!', market: 'BTCUSDT' });
    await put(gateway, { symbol: 'NQ1!', market: 'ETHUSDT' });
    await put(gateway, { symbol: 'ES1!', market: 'BTCUSDT' });
    const removed = await gateway.request('DELETE', `${PATH}?symbol=es1!`);
    expect(removed.body.result).toMatchObject({ symbol: 'ES1!', market: 'BTCUSDT' });
    expectRefusal(await gateway.request('DELETE', `${PATH}?symbol=ES1!`), 'SYMBOL_NOT_MAPPED');
    expect(await list(gateway)).toEqual([{ symbol: 'NQ1!', market: 'ETHUSDT', exchange: null, account: null }]);
    const audit = (await gateway.request('GET', '/admin/audit')).body.result;
    expect(
      audit
        .map(({ setting, before, after }: Record<string, { market: string } | string>) => [
          setting,
          (before as { market: string } | null)?.market ?? null,
          (after as { market: string } | null)?.market ?? null,
        ])
        .slice(0, 4),
    ).toEqual([
      ['symbolMap', 'BTCUSDT', null],
      ['symbolMap', null, 'BTCUSDT'],
      ['symbolMap', 'BTCUSDT', 'ETHUSDT'],
      ['symbolMap', null, 'BTCUSDT'],
    ]);
    await gateway.close();
    const again = await freshGateway({ dataDir: gateway.dataDir });
    expectFilled(await again.send({ symbol: 'NQ1!', quantity: 0.1 }));
  });

  it('that was added after a refusal counts when the signal is sent again', async () => {
    const gateway = await freshGateway();
    const refused = await gateway.send({ symbol: 'NOSUCHUSDT' });
    expect(refused.body.code).toBe('UNKNOWN_SYMBOL');
    await new Promise((resolve) => setImmediate(resolve));
    await put(gateway, { symbol: 'NOSUCHUSDT', market: 'BTCUSDT' });
    const sent = await gateway.request('POST', `/refusals/${refused.body.requestId}/resend`);
    expectFilled(sent);
    expect(await gateway.trade(sent.body.requestId)).toMatchObject({ symbol: 'NOSUCHUSDT', market: 'BTCUSDT' });
  });
});

describe('a signal that was refused because the map said nothing, or something else', () => {
  const refusedOf = async (gateway: TestGateway, sent: Promise<Sent>) => {
    const { requestId } = (await sent).body;
    await new Promise((resolve) => setImmediate(resolve));
    const [row] = (await gateway.request('GET', '/refusals')).body.result;
    expect(row).toMatchObject({ id: requestId, resendable: true });
    return { requestId, again: () => gateway.request('POST', `/refusals/${requestId}/resend`) };
  };
  const alertOf = ({ apiKey }: TestGateway) => ({
    ...{ apiKey, exchange: 'CME_MINI', ticker: 'NQ1!', action: 'buy', contracts: '0.01', marketPosition: 'long' },
  });
  const DOORS: readonly [string, (gateway: TestGateway) => Promise<Sent>][] = [
    ['/webhook', (gateway) => gateway.send({ symbol: 'NQ1!' })],
    [
      '/webhook/tradingview',
      (gateway) => gateway.request('POST', '/webhook/tradingview', { ...alertOf(gateway), exchange: 'binance' }),
    ],
    [
      '/email-signal',
      (gateway) =>
        gateway.request('POST', '/email-signal', {
          text: `apiKey: ${gateway.apiKey}\nexchange: binance\naction: LONG\nsymbol: NQ1!\nquantity: 0.01`,
        }),
    ],
  ];

  it.each(DOORS)('at %s trades once it is mapped, and not before', async (_, send) => {
    const gateway = await freshGateway();
    const first = send(gateway);
    expect((await first).body.code).toBe('INVALID_PAYLOAD');
    const { again } = await refusedOf(gateway, first);
    const early = await again();
    expectRefusal(early, 'NOT_RESENDABLE');
    expect(early.body.error).toContain('signalbox symbol-map set "NQ1!" BTCUSDT');
    await put(gateway, { symbol: 'NQ1!', market: 'ETHUSDT' });
    const sent = await again();
    expectFilled(sent);
    expect(await gateway.trade(sent.body.requestId)).toMatchObject({ symbol: 'NQ1!', market: 'ETHUSDT' });
  });

  it('and names no exchange of ours needs an entry that does', async () => {
    const gateway = await freshGateway();
    const { again } = await refusedOf(gateway, gateway.request('POST', '/webhook/tradingview', alertOf(gateway)));
    await put(gateway, { symbol: 'NQ1!', market: 'BTCUSDT' });
    const early = await again();
    expectRefusal(early, 'NOT_RESENDABLE');
    expect(early.body.error).toContain('--exchange');
    await put(gateway, { symbol: 'NQ1!', market: 'BTCUSDT', exchange: 'bybit' });
    const sent = await again();
    expectFilled(sent);
    expect(await gateway.trade(sent.body.requestId)).toMatchObject({ exchange: 'bybit', market: 'BTCUSDT' });
  });

  it('is not sent again with another fault in it', async () => {
    const gateway = await freshGateway();
    const { body } = await gateway.send({ symbol: 'NQ1!', quantity: 'x' });
    await new Promise((resolve) => setImmediate(resolve));
    await put(gateway, { symbol: 'NQ1!', market: 'BTCUSDT' });
    expectRefusal(await gateway.request('POST', `/refusals/${body.requestId}/resend`), 'NOT_RESENDABLE');
  });

  it.each([
    ['NQ1!', 'BTCUSDT'],
    ['ETHUSDT', 'BTCUSDT'],
  ])('is not traded as what the map no longer says: %s as %s', async (symbol, market) => {
    const gateway = await freshGateway();
    await put(gateway, { symbol, market });
    await gateway.controls.set('killSwitch', { active: true, scope: 'all' }, 'test');
    const { again } = await refusedOf(gateway, gateway.send({ symbol }));
    await gateway.controls.set('killSwitch', { active: false, scope: 'all' }, 'test');
    await gateway.request('DELETE', `${PATH}?symbol=${symbol}`);
    expectRefusal(await again(), 'NOT_RESENDABLE');
    await put(gateway, { symbol, market: 'SOLUSDT' });
    const sent = await again();
    expect((await gateway.trade(sent.body.requestId)).market).toBe('SOLUSDT');
  });
});

describe('an entry that cannot be meant is refused with the remedy', () => {
  it.each([
    [{ symbol: ' ', market: 'BTCUSDT' }, 'symbol', 'is blank'],
    [{ symbol: 'x'.repeat(65), market: 'BTCUSDT' }, 'symbol', '64'],
    [{ symbol: 'NQ1!', market: '!' }, 'market', 'names no market'],
    [{ symbol: 'NQ1!', market: '' }, 'market', ''],
    [{ symbol: 'BTCUSDT', market: 'BINANCE:BTCUSDT.P' }, 'market', 'nothing to map'],
    [{ symbol: 'NQ1!', market: 'MAPPED' }, 'market', 'map NQ1! to that'],
    [{ symbol: 'ETHUSDT', market: 'BTCUSDT' }, 'symbol', 'map that one to BTCUSDT first'],
    [{ symbol: 'NQ1!', market: 'NOSUCHUSDT' }, 'market', 'has no market NOSUCHUSDT'],
    [{ symbol: 'NQ1!', market: 'BTCUSDT', exchange: 'nyse' }, 'exchange', ''],
    [{ symbol: 'NQ1!', market: 'BTCUSDT', account: 'nowhere' }, 'account', 'main'],
    [{ symbol: 'NQ1!', market: 'BTCUSDT', size: 1 }, 'body', 'size'],
  ])('%j', async (entry, field, words) => {
    const gateway = await freshGateway();
    expect((await put(gateway, { symbol: 'MAPPED', market: 'ETHUSDT' })).status).toBe(200);
    const sent = await put(gateway, entry);
    expectFaults(sent, field);
    expect(sent.body.error).toContain(words);
    expect(await list(gateway)).toHaveLength(1);
  });
});

it('the owner’s chat stops the market that it names, and is told of the map', async () => {
  const chat = await openBot();
  await put(chat.gateway, { symbol: 'ETHUSDT', market: 'BTCUSDT' });
  expect((await ask(chat, '/pause symbol:ETHUSDT')).text).toContain('symbol:ETHUSDT');
  expect((await ask(chat, '/kill on symbol:ETHUSDT')).text).toContain('symbol:ETHUSDT');
});

it('the owner’s chat lists the entries', async () => {
  const chat = await openBot();
  expect((await ask(chat, '/symbols')).text).toBe('Symbol map\nNo symbol is mapped.');
  await put(chat.gateway, { symbol: 'NQ1!', market: 'BTCUSDT', exchange: 'binance' });
  expect((await ask(chat, '/symbols')).text).toBe('Symbol map\nNQ1! → BTCUSDT on binance');
});
