// The fallback chain through the front door: order, status, circuit, what is retried and what is not, and who pays.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventsOf, openAgentDoor } from '../support/agent.ts';
import { anthropicProtocol } from '../support/model-servers/anthropic-protocol.ts';
import { googleProtocol } from '../support/model-servers/google-protocol.ts';
import { type Behaviour, type ModelServer, startModelServer } from '../support/model-servers/model-server.ts';
import { openaiProtocol } from '../support/model-servers/openai-protocol.ts';
import { expectRefusal } from '../webhook/answers.ts';

const TROUBLE: Behaviour = { kind: 'status', status: 503 };
let first: ModelServer;
let second: ModelServer;
let third: ModelServer;
beforeAll(async () => {
  [first, second, third] = (await Promise.all(
    [openaiProtocol, anthropicProtocol, googleProtocol].map(startModelServer),
  )) as [ModelServer, ModelServer, ModelServer];
});
afterAll(() => Promise.all([first, second, third].map((server) => server.close())));
beforeEach(() => {
  for (const server of [first, second, third]) server.reset();
});

const chain = (more: object = {}) => openAgentDoor({ servers: [first, second, third], timeoutMs: 1500, ...more });
const asked = (): number[] => [first, second, third].map(({ requests }) => requests.length);

describe('the chain', () => {
  it('asks the first provider and nobody else while it answers', async () => {
    const door = await chain();
    expect((await door.chat()).body).toMatchObject({ provider: 'openai', model: 'gpt-4.1-mini' });
    expect(asked()).toEqual([1, 0, 0]);
  });

  it('asks the next when one fails, and the one after that', async () => {
    const door = await chain();
    first.next(TROUBLE, TROUBLE);
    second.next({ kind: 'garbage' });
    third.next({ kind: 'answer', text: 'Me.' });
    expect((await door.chat()).body).toMatchObject({ provider: 'google', model: 'gemini-2.5-flash', response: 'Me.' });
    expect(asked()).toEqual([2, 1, 1]);
    expect(door.calls.map(({ provider, outcome }) => `${provider} ${outcome}`)).toEqual([
      'openai server',
      'openai server',
      'anthropic malformed',
      'google ok',
    ]);
  });

  it('names every fault when all fail', async () => {
    const door = await chain();
    first.next({ kind: 'status', status: 401 });
    second.next({ kind: 'status', status: 404 });
    third.next({ kind: 'answer', finish: 'refused' });
    const sent = await door.chat();
    expectRefusal(sent, 'AGENT_FAILED', 'faults');
    expect(sent.body.faults).toEqual([
      'openai: it does not accept the key (401); check OPENAI_API_KEY',
      'anthropic: it has no model claude-sonnet-4-5 (404); check AGENT_MODELS and ANTHROPIC_BASE_URL',
      'google: its content filter refused to answer this',
    ]);
    expect(sent.body.error).toBe(`no provider answered; ${sent.body.faults.join('; ')}`);
    expect(asked()).toEqual([1, 1, 1]);
  });

  it('falls back for images too', async () => {
    const door = await chain();
    first.next({ kind: 'status', status: 400, message: 'this model has no eyes' });
    const png = 'iVBORw0KGgo=';
    expect((await door.vision({ imageBase64: png })).body).toMatchObject({ analysis: 'Hello', provider: 'anthropic' });
  });

  it('falls back in a stream while nothing has been said', async () => {
    const door = await chain();
    first.next(TROUBLE, TROUBLE);
    const events = eventsOf(await (await door.stream({ prompt: 'x' })).text());
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { provider: 'anthropic', response: 'Hello' } });
  });

  it('does not put two answers together: after the first word nobody else is asked', async () => {
    const door = await chain();
    first.next({ kind: 'cut', text: 'Half', how: 'reset' });
    const events = eventsOf(await (await door.stream({ prompt: 'x' })).text());
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'AGENT_FAILED' } });
    expect(asked()).toEqual([1, 0, 0]);
  });

  it('each provider has its own time', async () => {
    const door = await chain({ timeoutMs: 300 });
    first.next({ kind: 'hang' });
    second.next({ kind: 'hang' });
    const startedMs = performance.now();
    expect((await door.chat()).body).toMatchObject({ provider: 'google' });
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(599);
  });

  it('a stream may take longer than the time as long as it is alive', async () => {
    const door = await chain({ timeoutMs: 800 });
    first.next({ kind: 'answer', text: 'slow but steady', gapMs: 200 });
    const events = eventsOf(await (await door.stream({ prompt: 'x' })).text());
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { response: 'slow but steady' } });
  });

  it('an account without credit is not asked twice, although it says 429', async () => {
    const door = await chain();
    first.next({ kind: 'status', status: 429, code: 'insufficient_quota', message: 'You exceeded your current quota' });
    expect((await door.chat()).body).toMatchObject({ provider: 'anthropic' });
    expect(door.calls[0]).toMatchObject({ outcome: 'setup' });
    expect(asked()).toEqual([1, 1, 0]);
  });
});

describe('GET /agent/status', () => {
  const config = {
    defaultProvider: 'openai',
    fallbackChain: ['openai', 'anthropic', 'google'],
    modelMap: { openai: 'gpt-4.1-mini', anthropic: 'claude-sonnet-4-5', google: 'gemini-2.5-flash' },
  };

  it('is Healthy before anybody asked, with the configuration and the trailing stops', async () => {
    const door = await chain({ trailingStops: ['binance:BTCUSDT:LONG'] });
    const sent = await door.request('GET', '/agent/status');
    expect([sent.status, sent.body]).toEqual([
      200,
      {
        success: true,
        requestId: expect.any(String),
        status: 'Healthy',
        config,
        activeTrailingStops: ['binance:BTCUSDT:LONG'],
        providers: config.fallbackChain.map((provider) => ({
          provider,
          model: config.modelMap[provider as 'openai'],
          circuit: 'closed',
          lastOutcome: null,
          lastAskedAt: null,
        })),
      },
    ]);
  });

  it('is Degraded while the first fails and another serves, and Healthy again when the first answers', async () => {
    const door = await chain();
    first.next(TROUBLE, TROUBLE);
    await door.chat();
    expect(await door.status()).toMatchObject({
      status: 'Degraded',
      config,
      providers: [{ lastOutcome: 'server' }, {}, {}],
    });
    await door.chat();
    expect(await door.status()).toMatchObject({ status: 'Healthy' });
  });

  it('is Unavailable when all fail, and when none is configured', async () => {
    const door = await chain();
    for (const server of [first, second, third]) server.next(TROUBLE, TROUBLE);
    await door.chat();
    expect((await door.status()).status).toBe('Unavailable');
    expect(await (await openAgentDoor()).status()).toMatchObject({
      status: 'Unavailable',
      config: { defaultProvider: '', fallbackChain: [], modelMap: {} },
      providers: [],
    });
  });

  it('forgets a failure that nobody has repeated for a quarter of an hour', async () => {
    const door = await chain();
    first.next(TROUBLE, TROUBLE);
    await door.chat();
    door.clock.offsetMs = 15 * 60_000 - 5000;
    expect((await door.status()).status).toBe('Degraded');
    door.clock.offsetMs = 15 * 60_000;
    expect((await door.status()).status).toBe('Healthy');
  });

  it('remembers recent outcomes over a restart', async () => {
    const door = await chain();
    first.next(TROUBLE, TROUBLE);
    await door.chat();
    await door.close();
    const again = await chain({ dataDir: door.dataDir });
    expect(await again.status()).toMatchObject({
      status: 'Degraded',
      providers: [{ lastOutcome: 'server' }, { lastOutcome: 'ok' }, {}],
    });
  });
});

describe('the circuit of a provider', () => {
  it('opens after three failures in a row, lets one call try after its pause, and closes with a success', async () => {
    const monotonic = { offsetMs: 0 };
    const door = await chain({ monotonic });
    const circuit = async (): Promise<string> => (await door.status()).providers[0].circuit;
    first.next(...Array<Behaviour>(8).fill(TROUBLE));
    for (let call = 1; call <= 3; call++) {
      expect(await circuit()).toBe('closed');
      await door.chat();
    }
    expect([await circuit(), first.requests.length]).toEqual(['open', 6]);
    await door.chat();
    expect(first.requests).toHaveLength(6);
    monotonic.offsetMs += 30_000;
    expect(await circuit()).toBe('half-open');
    await door.chat();
    expect([await circuit(), first.requests.length]).toEqual(['open', 8]);
    // Twice as long after a trial that failed.
    monotonic.offsetMs += 59_000;
    expect(await circuit()).toBe('open');
    monotonic.offsetMs += 1000;
    expect((await door.chat()).body).toMatchObject({ provider: 'openai' });
    expect([await circuit(), (await door.status()).status]).toEqual(['closed', 'Healthy']);
  });

  it('does not open because of questions it refuses or does not take', async () => {
    const door = await openAgentDoor({ servers: [first] });
    for (let call = 0; call < 5; call++) {
      first.next(call % 2 ? { kind: 'answer', finish: 'refused' } : { kind: 'status', status: 400 });
      await door.chat();
    }
    expect(await door.status()).toMatchObject({ status: 'Healthy', providers: [{ circuit: 'closed' }] });
    expect((await door.chat()).body).toMatchObject({ response: 'Hello' });
  });

  it('of the only provider is told with the time that is left', async () => {
    const door = await openAgentDoor({ servers: [first] });
    first.next(...Array<Behaviour>(6).fill(TROUBLE));
    for (let call = 0; call < 3; call++) await door.chat();
    const sent = await door.chat();
    expectRefusal(sent, 'AGENT_FAILED', 'faults');
    expect(sent.body.error).toMatch(/openai: left alone after failures in a row; it is asked again in (30|29) s/);
    // Nobody was called, so nothing is counted.
    expect(door.calls).toHaveLength(6);
    expect(await door.usage()).toMatchObject({ totalRequests: 6, byProvider: { openai: { requests: 6, errors: 6 } } });
  });
});
