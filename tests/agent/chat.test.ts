// The doors of the agent: every field at its limits, who may ask, how many at once, and a caller who hangs up.

import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { nodeListener } from '../../src/http/node-listener.ts';
import { listen } from '../../src/http/server.ts';
import { DEFAULT_VISION_PROMPT } from '../../src/services/gateway/agent.ts';
import { type AgentDoor, eventsOf, openAgentDoor, openAgentGateway, PNG } from '../support/agent.ts';
import { KEY, type ModelServer, startModelServer } from '../support/model-servers/model-server.ts';
import { openaiProtocol } from '../support/model-servers/openai-protocol.ts';
import { expectFaults, expectRefusal } from '../webhook/answers.ts';

let server: ModelServer;
let door: AgentDoor;
beforeAll(async () => {
  server = await startModelServer(openaiProtocol);
  door = await openAgentDoor({ servers: [server], timeoutMs: 5000 });
});
afterAll(() => server.close());
beforeEach(() => {
  server.reset();
  door.calls.length = 0;
  door.logLines.length = 0;
});

describe('POST /agent/chat', () => {
  it.each<[string, object, string]>([
    ['no messages and no prompt', {}, 'prompt'],
    ['a system prompt alone', { systemPrompt: 'x' }, 'prompt'],
    ['empty messages', { messages: [], prompt: 'x' }, 'messages'],
    ['51 messages', { messages: Array(51).fill({ content: 'x' }) }, 'messages'],
    ['messages that are no list', { messages: 'x' }, 'messages'],
    ['a message without content', { messages: [{ role: 'user' }] }, 'messages.0.content'],
    ['an empty message', { messages: [{ content: '' }] }, 'messages.0.content'],
    ['a message of 32,001 characters', { messages: [{ content: 'x'.repeat(32_001) }] }, 'messages.0.content'],
    ['an unknown role', { messages: [{ role: 'tool', content: 'x' }] }, 'messages.0.role'],
    ['half a character', { prompt: 'a\ud800b' }, 'prompt'],
    ['an empty prompt', { prompt: '' }, 'prompt'],
    ['a prompt of 32,001 characters', { prompt: 'x'.repeat(32_001) }, 'prompt'],
    ['a system prompt of 32,001 characters', { prompt: 'x', systemPrompt: 'x'.repeat(32_001) }, 'systemPrompt'],
    ['null instead of a prompt', { prompt: null }, 'prompt'],
    ['temperature below 0', { prompt: 'x', temperature: -0.01 }, 'temperature'],
    ['temperature above 2', { prompt: 'x', temperature: 2.01 }, 'temperature'],
    ['temperature in quotes', { prompt: 'x', temperature: '1' }, 'temperature'],
    ['maxTokens 0', { prompt: 'x', maxTokens: 0 }, 'maxTokens'],
    ['maxTokens 32,769', { prompt: 'x', maxTokens: 32_769 }, 'maxTokens'],
    ['maxTokens 1.5', { prompt: 'x', maxTokens: 1.5 }, 'maxTokens'],
    ['tools that are no boolean', { prompt: 'x', tools: ['get_bars'] }, 'tools'],
  ])('%s is 400 and names the field', async (_, body, field) => {
    expectFaults(await door.chat(body), field);
    expect(server.requests).toEqual([]);
  });

  it('several faults are reported at once', async () => {
    expectFaults(await door.chat({ prompt: '', temperature: 3, maxTokens: 0 }), 'prompt', 'temperature', 'maxTokens');
  });

  it.each<[string, object]>([
    [
      '50 messages of 32,000 characters are too large for the body',
      { messages: Array(50).fill({ content: 'x'.repeat(32_000) }) },
    ],
  ])('%s (413)', async (_, body) => {
    expectRefusal(await door.chat(body), 'PAYLOAD_TOO_LARGE');
  });

  it.each<[string, object]>([
    ['50 messages', { messages: Array(50).fill({ content: 'x' }) }],
    ['one message of 32,000 characters', { messages: [{ content: 'é'.repeat(32_000) }] }],
    ['temperature 0 and maxTokens 1', { prompt: 'x', temperature: 0, maxTokens: 1 }],
    ['temperature 2 and maxTokens 32,768', { prompt: 'x', temperature: 2, maxTokens: 32_768 }],
    ['fields nobody knows', { prompt: 'x', model: 'other', user: 'me', messages: undefined }],
    ['tools false', { prompt: 'x', tools: false }],
  ])('%s pass whole', async (_, body) => {
    expect((await door.chat(body)).status).toBe(200);
    const { messages = [{ content: 'x' }] } = body as { messages?: { content: string }[] };
    expect(server.requests[0]?.body.messages).toEqual(messages.map(({ content }) => ({ role: 'user', content })));
  });

  it('whatever text is asked arrives as it was, to the character', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), async (prompt) => {
        server.reset();
        const sent = await door.chat({ prompt });
        if (prompt.isWellFormed())
          expect(server.requests[0]?.body.messages).toEqual([{ role: 'user', content: prompt }]);
        else expect(sent.status).toBe(400);
      }),
      { numRuns: 60 },
    );
  });

  it('is JSON or 400', async () => {
    expectRefusal(await door.request('POST', '/agent/chat', 'hello'), 'INVALID_JSON');
    expectRefusal(await door.request('POST', '/agent/chat', '{"prompt":"a","prompt":"b"}'), 'INVALID_JSON');
  });

  it('warns when a provider does not do as asked', async () => {
    const { anthropicProtocol } = await import('../support/model-servers/anthropic-protocol.ts');
    const strict = await startModelServer(anthropicProtocol);
    const { chat } = await openAgentDoor({ servers: [strict] });
    const { body } = await chat({ prompt: 'x', temperature: 1.5 });
    expect(body.warnings).toEqual([expect.stringMatching(/^anthropic: temperature is not supported as asked/)]);
    await strict.close();
  });

  it('without a provider is 503 and says what to set', async () => {
    const bare = await openAgentDoor();
    const sent = await bare.chat();
    expectRefusal(sent, 'AGENT_NOT_CONFIGURED');
    expect(sent.body.error).toContain('OPENAI_API_KEY');
    expectRefusal(await bare.vision({ imageBase64: PNG }), 'AGENT_NOT_CONFIGURED');
    expect((await bare.stream({ prompt: 'x' })).status).toBe(503);
    expectFaults(await bare.chat({}), 'prompt');
  });

  it('answers eight at once and asks the ninth to come back', async () => {
    server.next(...Array(8).fill({ kind: 'answer', text: 'x', gapMs: 300 }));
    const sent = await Promise.all(Array.from({ length: 9 }, () => door.chat()));
    const refused = sent.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(1);
    expectRefusal(refused[0]!, 'AGENT_BUSY');
    expect(refused[0]?.headers.get('retry-after')).toBe('5');
    expect((await door.chat()).status).toBe(200);
  });

  it('is for the owner alone', async () => {
    const gateway = await openAgentGateway({ servers: [server] }, { internalToken: 'a-token-of-the-owner' });
    for (const [method, path] of [
      ['POST', '/agent/chat'],
      ['POST', '/agent/vision'],
      ['GET', '/agent/status'],
      ['GET', '/agent/usage'],
    ] as const) {
      expectRefusal(await gateway.request(method, path, undefined), 'UNAUTHORIZED');
      const headers = { 'x-internal-auth-key': 'a-token-of-the-owner' };
      expect((await gateway.request(method, path, undefined, { headers })).status).not.toBe(401);
    }
  });
});

describe('POST /agent/vision', () => {
  const bytes = (...head: number[]): string => Buffer.from([...head, 0, 0, 0, 0]).toString('base64');
  const WEBP = Buffer.from('RIFF\x10\0\0\0WEBPVP8 ', 'latin1').toString('base64');

  it.each([
    ['PNG', PNG, 'image/png'],
    ['JPEG', bytes(0xff, 0xd8, 0xff, 0xe0), 'image/jpeg'],
    ['GIF', Buffer.from('GIF89a').toString('base64'), 'image/gif'],
    ['old GIF', Buffer.from('GIF87a').toString('base64'), 'image/gif'],
    ['WebP', WEBP, 'image/webp'],
    ['a data URL', `data:image/png;base64,${PNG}`, 'image/png'],
    ['a data URL with another type than the bytes', `data:image/png;base64,${WEBP}`, 'image/webp'],
    ['Base64 in lines', PNG.replace(/.{20}/g, '$&\r\n'), 'image/png'],
    ['Base64 without its padding', PNG.replace(/=+$/, ''), 'image/png'],
  ])('takes %s', async (_, imageBase64, type) => {
    expect((await door.vision({ imageBase64 })).body).toMatchObject({ success: true, analysis: 'Hello' });
    const [text, image] = server.requests[0]!.body.messages[0].content;
    expect(text).toEqual({ type: 'text', text: DEFAULT_VISION_PROMPT });
    const plain = Buffer.from(imageBase64.replace(/^data:[^,]*,/, ''), 'base64').toString('base64');
    expect(image.image_url.url).toBe(`data:${type};base64,${plain}`);
  });

  it.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['a number', 5],
    ['no Base64', 'not base64 at all!'],
    ['Base64 of the web alphabet', PNG.replace(/\//g, '_').replace(/\+/g, '-').replace('iVBOR', 'iV-_R')],
    ['one character too few', PNG.replace(/.=+$/, '')],
    ['a text file', Buffer.from('hello world').toString('base64')],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')],
    ['a PDF', Buffer.from('%PDF-1.7').toString('base64')],
    ['RIFF that is no WebP', Buffer.from('RIFF\x10\0\0\0WAVEfmt ', 'latin1').toString('base64')],
    ['a data URL that is not Base64', 'data:image/svg+xml,<svg/>'],
    ['an address', 'https://example.com/chart.png'],
    ['only the head of a data URL', 'data:image/png;base64,'],
  ])('%s is 400', async (_, imageBase64) => {
    expectFaults(await door.vision({ imageBase64 }), 'imageBase64');
    expect(server.requests).toEqual([]);
  });

  it('takes 8 MiB of body and not a byte more', async () => {
    const room = 8 * 1024 * 1024 - '{"imageBase64":""}'.length;
    const image = Buffer.alloc(Math.floor(room / 4) * 3);
    Buffer.from(PNG, 'base64').copy(image);
    const imageBase64 = image.toString('base64');
    const body = `{"imageBase64":"${imageBase64}"}`.padEnd(8 * 1024 * 1024);
    expect((await door.request('POST', '/agent/vision', body)).status).toBe(200);
    expectRefusal(await door.request('POST', '/agent/vision', `${body} `), 'PAYLOAD_TOO_LARGE');
  });

  it('streams too', async () => {
    const response = await door.stream({ imageBase64: PNG, prompt: 'Look' }, '/agent/vision');
    const events = eventsOf(await response.text());
    expect(events.at(-1)).toMatchObject({
      event: 'done',
      data: { success: true, analysis: 'Hello', provider: 'openai' },
    });
    const refused = await door.stream({ imageBase64: '!' }, '/agent/vision');
    expectFaults({ status: refused.status, headers: refused.headers, body: await refused.json() }, 'imageBase64');
  });
});

describe('Accept', () => {
  it.each([
    ['text/event-stream', true],
    ['application/json, text/event-stream', true],
    ['TEXT/EVENT-STREAM;q=0.5', true],
    ['text/event-stream;q=0', false],
    ['text/event-stream;q=0.000', false],
    ['*/*', false],
    ['text/*', false],
    ['application/json', false],
    ['', false],
  ])('%s: events %s', async (accept, streams) => {
    const init = { method: 'POST', headers: { host: 'localhost', accept }, body: '{"prompt":"x"}' };
    const response = await door.app.request('/agent/chat', init, { peer: '127.0.0.1' });
    expect(response.headers.get('content-type')).toBe(streams ? 'text/event-stream' : 'application/json');
    await response.text();
  });
});

describe('a caller who hangs up', () => {
  const overSocket = async (use: (url: string) => Promise<void>): Promise<void> => {
    const listener = nodeListener(door.app);
    const listening = await listen({ listener, host: '127.0.0.1', port: 0 });
    try {
      await use(listening.url);
    } finally {
      await listening.stop(1000);
    }
  };
  const post = (url: string, signal: AbortSignal, headers: Record<string, string> = {}) =>
    fetch(`${url}/agent/chat`, { method: 'POST', headers, body: '{"prompt":"Tell me everything."}', signal });
  const until = async (done: () => boolean): Promise<void> => {
    for (let tries = 0; tries < 1000 && !done(); tries++) await sleep(20);
    expect(done()).toBe(true);
  };

  it('before the answer cancels the call at the provider, and what it may have cost is in the ledger', async () => {
    await overSocket(async (url) => {
      server.next({ kind: 'hang' });
      const leaving = new AbortController();
      const asked = post(url, leaving.signal).catch((error: Error) => error.name);
      await until(() => server.requests.length === 1);
      leaving.abort();
      expect(await asked).toBe('AbortError');
      await server.requests[0]?.gone;
      await until(() => door.calls.length === 1);
      expect(door.calls[0]).toMatchObject({ outcome: 'canceled', estimated: true, tokensIn: 5, tokensOut: 0 });
      await until(() => door.logLines.some((line) => line.includes('"status":499')));
    });
    expect(await door.status()).toMatchObject({ status: 'Healthy', providers: [{ circuit: 'closed' }] });
  });

  it('in the middle of a stream cancels it, and what was written is in the ledger', async () => {
    const before = await door.usage();
    await overSocket(async (url) => {
      server.next({ kind: 'cut', text: 'Once upon a time', how: 'silence' });
      const leaving = new AbortController();
      const response = await post(url, leaving.signal, { accept: 'text/event-stream' });
      const reader = response.body!.getReader();
      await reader.read();
      await until(() => server.requests.length === 1);
      await sleep(50);
      leaving.abort();
      await server.requests[0]?.gone;
      await until(() => door.calls.length === 1);
      expect(door.calls[0]).toMatchObject({ outcome: 'canceled', estimated: true, tokensOut: 4 });
    });
    const after = await door.usage();
    expect(after.byProvider.openai.requests).toBe(before.byProvider.openai.requests + 1);
    expect(after.byProvider.openai.errors).toBe(before.byProvider.openai.errors);
    expect(after.totalTokens).toBe(before.totalTokens + 9);
  });

  it('stops nobody else, and after it there is room for eight', async () => {
    await overSocket(async (url) => {
      server.next(...Array(8).fill({ kind: 'hang' }));
      const leaving = new AbortController();
      const asked = Array.from({ length: 8 }, () => post(url, leaving.signal).catch(() => undefined));
      await until(() => server.requests.length === 8);
      leaving.abort();
      await Promise.all(asked);
      await until(() => door.calls.length === 8);
      const sent = await Promise.all(Array.from({ length: 8 }, () => door.chat()));
      expect(sent.map(({ status }) => status)).toEqual(Array(8).fill(200));
    });
  });
});

describe('stopping', () => {
  it('ends what is under way and has it in the ledger', async () => {
    const going = await openAgentDoor({ servers: [server] });
    server.next({ kind: 'hang' });
    const asked = going.chat();
    while (server.requests.length === 0) await sleep(10);
    await going.close();
    const sent = await asked;
    expectRefusal(sent, 'AGENT_FAILED');
    expect(sent.body.error).toContain('stopping');
    const again = await openAgentDoor({ dataDir: going.dataDir });
    expect(await again.usage()).toMatchObject({ totalRequests: 1, byProvider: { openai: { requests: 1, errors: 0 } } });
  });
});

describe('secrets', () => {
  it('the key, the prompt, the image and the answer are in no log line and no ledger', async () => {
    server.next({ kind: 'answer', text: 'the-secret-answer' }, { kind: 'status', status: 500, message: `bad ${KEY}` });
    await door.chat({ prompt: 'the-secret-prompt' });
    await door.chat({ prompt: 'the-secret-prompt' });
    await door.vision({ imageBase64: PNG, prompt: 'the-secret-prompt' });
    const told = JSON.stringify([door.logLines, door.calls, door.troubles]);
    expect(door.logLines.length).toBeGreaterThan(0);
    for (const secret of [KEY, 'the-secret-prompt', 'the-secret-answer', PNG]) expect(told).not.toContain(secret);
  });
});
