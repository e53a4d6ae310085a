// The agent of the real program: two providers in a chain, a look at real trades, stops in its status, and no key in any line.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anthropicProtocol } from '../support/model-servers/anthropic-protocol.ts';
import { KEY, type ModelServer, startModelServer } from '../support/model-servers/model-server.ts';
import { openaiProtocol } from '../support/model-servers/openai-protocol.ts';
import { freshDataDir, type RunningProcess, runSignalbox, startGatewayProcess } from '../support/process.ts';

let first: ModelServer;
let second: ModelServer;
let running: RunningProcess;
beforeAll(async () => {
  first = await startModelServer(openaiProtocol);
  second = await startModelServer(anthropicProtocol);
  const keys = { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY };
  const addresses = { OPENAI_BASE_URL: first.url, ANTHROPIC_BASE_URL: second.url };
  running = await startGatewayProcess({ env: { ...keys, ...addresses, AGENT_PROVIDERS: 'openai,anthropic' } });
});
afterAll(async () => {
  await running.kill();
  await Promise.all([first.close(), second.close()]);
});

const ask = async (method: string, path: string, body?: object) => {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const response = await fetch(running.url + path, init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

describe('the agent of the real program', () => {
  it('answers from the first provider that can, and counts what both did', async () => {
    first.next({ kind: 'status', status: 401, message: 'no such key' });
    second.next({ kind: 'answer', text: 'It went up.', tokensIn: 10, tokensOut: 4 });
    expect(await ask('POST', '/agent/chat', { prompt: 'How was today?' })).toMatchObject({
      status: 200,
      body: { success: true, response: 'It went up.', provider: 'anthropic' },
    });
    expect((await ask('GET', '/agent/status')).body).toMatchObject({ status: 'Degraded' });
    const { body } = await ask('GET', '/agent/usage');
    expect(body).toMatchObject({ success: true });
    expect(JSON.stringify(body)).toContain('anthropic');
  });

  it('lets the model look at what was traded, and shows the stop that the entry brought', async () => {
    const entry = { apiKey: running.apiKey, exchange: 'bybit', action: 'LONG', symbol: 'ETHUSDT', quantity: 0.5 };
    const traded = await ask('POST', '/webhook', { ...entry, trailPercent: 5 });
    expect(traded).toMatchObject({ status: 200, body: { tradeResult: { status: 'Filled' } } });
    first.next({ kind: 'answer', tools: [{ name: 'get_positions', args: '{}' }] });
    first.next({ kind: 'answer', text: 'You hold half an ether.' });
    const answered = await ask('POST', '/agent/chat', { prompt: 'What do I hold?', tools: true });
    expect(answered).toMatchObject({
      status: 200,
      body: { response: 'You hold half an ether.', toolCalls: [{ name: 'get_positions' }] },
    });
    expect(first.requests.at(-1)?.text).toContain('ETHUSDT');
    expect((await ask('GET', '/agent/status')).body.activeTrailingStops).toEqual(['bybit:ETHUSDT:LONG']);
  });

  it('writes its keys into no line, and stops at once', async () => {
    expect(await running.stop()).toBe(0);
    expect(running.output()).toContain('model call');
    expect(running.output()).not.toContain(KEY);
  });

  it('refuses to start with a chain that cannot work, and names what is missing', async () => {
    const env = { DATA_DIR: freshDataDir(), AGENT_PROVIDERS: 'google,nobody' };
    const { code, stderr } = await runSignalbox(['start'], env);
    expect([code, stderr]).toEqual([1, expect.stringContaining('AGENT_PROVIDERS has "nobody"')]);
    const missing = await runSignalbox(['start'], { DATA_DIR: freshDataDir(), AGENT_PROVIDERS: 'google' });
    expect(missing.stderr).toContain('GOOGLE_API_KEY is not set');
  });
});
