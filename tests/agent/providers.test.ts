// Every provider's wire protocol, through the front door: answers, images, and each way in which a server can fail.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AgentDoor, eventsOf, openAgentDoor, PNG } from '../support/agent.ts';
import { timed } from '../support/lived-time.ts';
import { anthropicProtocol } from '../support/model-servers/anthropic-protocol.ts';
import { googleProtocol } from '../support/model-servers/google-protocol.ts';
import { KEY, type ModelServer, startModelServer } from '../support/model-servers/model-server.ts';
import { localProtocol, openaiProtocol } from '../support/model-servers/openai-protocol.ts';
import { expectEnvelope, expectRefusal } from '../webhook/answers.ts';

describe.each([openaiProtocol, anthropicProtocol, googleProtocol, localProtocol])('$name', (protocol) => {
  let server: ModelServer;
  let gateway: AgentDoor;
  beforeAll(async () => {
    server = await startModelServer(protocol);
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    server.reset();
    // A fresh one each time: a circuit that one test opened is not the next one's business.
    gateway = await openAgentDoor({ servers: [server], timeoutMs: 2000 });
  });

  it('answers a prompt, and everything it was given arrives as it was', async () => {
    server.next({ kind: 'answer', text: 'Fine — 很好 👍' });
    const sent = await gateway.chat({
      systemPrompt: 'Be brief.',
      prompt: 'How are you?\n  "Quoted" ünïcode 👋',
      temperature: 0.5,
      maxTokens: 123,
    });
    expectEnvelope(sent);
    expect([sent.status, sent.body]).toEqual([
      200,
      {
        success: true,
        requestId: expect.any(String),
        response: 'Fine — 很好 👍',
        model: protocol.model,
        provider: protocol.name,
        finishReason: 'stop',
        warnings: [],
        toolCalls: [],
      },
    ]);
    const [request] = server.requests;
    expect(request?.text).toContain(JSON.stringify('How are you?\n  "Quoted" ünïcode 👋').slice(1, -1));
    expect(request?.text).toContain('Be brief.');
    expect(request?.text).toContain('0.5');
    expect(request?.text).toContain('123');
    expect(request?.text).not.toContain('tools');
    expect(gateway.calls).toMatchObject([{ outcome: 'ok', tokensIn: 10, tokensOut: 5, estimated: false }]);
  });

  it('gets a whole conversation in its order', async () => {
    const messages = [
      { role: 'system', content: 'sys-1' },
      { role: 'user', content: 'usr-2' },
      { role: 'assistant', content: 'asst-3' },
      { content: 'usr-4' },
    ];
    expect((await gateway.chat({ messages, prompt: 'ignored', systemPrompt: 'ignored' })).status).toBe(200);
    const text = server.requests[0]?.text ?? '';
    expect(text).not.toContain('ignored');
    const places = ['usr-2', 'asst-3', 'usr-4'].map((content) => text.indexOf(content));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(Math.min(...places, text.indexOf('sys-1'))).toBeGreaterThan(0);
  });

  it('looks at an image', async () => {
    server.next({ kind: 'answer', text: 'A rising channel.' });
    const sent = await gateway.vision({ imageBase64: PNG, prompt: 'What is this?' });
    expect(sent.body).toEqual({
      success: true,
      requestId: expect.any(String),
      analysis: 'A rising channel.',
      model: protocol.model,
      provider: protocol.name,
      finishReason: 'stop',
      warnings: [],
    });
    const text = server.requests[0]?.text ?? '';
    expect(text).toContain(PNG);
    expect(text).toContain('image/png');
    expect(text).toContain('What is this?');
    expect(gateway.calls).toMatchObject([{ door: 'vision', outcome: 'ok' }]);
  });

  it('streams its answer as it is written, and the whole at the end', async () => {
    server.next({ kind: 'answer', text: 'One two three.', tokensIn: 7, tokensOut: 9 });
    const response = await gateway.stream({ prompt: 'Count.' });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const events = eventsOf(await response.text());
    const deltas = events.filter(({ event }) => event === 'delta').map(({ data }) => data.text);
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe('One two three.');
    expect(events.at(-1)).toEqual({
      event: 'done',
      data: {
        success: true,
        requestId: response.headers.get('x-request-id'),
        response: 'One two three.',
        model: protocol.model,
        provider: protocol.name,
        finishReason: 'stop',
        warnings: [],
        toolCalls: [],
      },
    });
    expect(gateway.calls).toMatchObject([{ outcome: 'ok', tokensIn: 7, tokensOut: 9, estimated: false }]);
  });

  it('says when its answer stops at maxTokens', async () => {
    server.next({ kind: 'answer', text: 'One tw', finish: 'length' });
    expect((await gateway.chat({ prompt: 'x', maxTokens: 2 })).body).toMatchObject({ finishReason: 'length' });
  });

  const fails = async (fault: RegExp, outcome: string, calls = 1): Promise<void> => {
    const sent = await gateway.chat();
    expectRefusal(sent, 'AGENT_FAILED', 'faults');
    expect(sent.body.faults).toHaveLength(1);
    expect(sent.body.faults[0]).toMatch(new RegExp(`^${protocol.name}: `));
    expect(sent.body.error).toMatch(fault);
    expect(JSON.stringify(sent.body)).not.toContain(KEY);
    expect(server.requests).toHaveLength(calls);
    expect(gateway.calls.map((call) => call.outcome)).toEqual(Array(calls).fill(outcome));
  };

  it('is asked again after 429, when its Retry-After says so, and answers', async () => {
    server.next({ kind: 'status', status: 429, headers: { 'retry-after': '0.2' } }, { kind: 'answer', text: 'Now.' });
    const startedMs = performance.now();
    expect((await gateway.chat()).body).toMatchObject({ response: 'Now.' });
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(199);
    expect(gateway.calls.map(({ outcome, tokensIn }) => [outcome, tokensIn])).toEqual([
      ['rate-limited', 0],
      ['ok', 10],
    ]);
  });

  it('is not waited for when its Retry-After is longer than the time there is', async () => {
    server.next({ kind: 'status', status: 429, headers: { 'retry-after': '30' }, message: 'slow down' });
    const { livedMs } = await timed(() => fails(/too many requests \(429\): slow down/, 'rate-limited'));
    expect(livedMs).toBeLessThan(5000);
    // And it is left alone until then.
    expect((await gateway.chat()).body.error).toMatch(/left alone .* asked again in (30|29) s/);
    expect(server.requests).toHaveLength(1);
  });

  it('that is in trouble (500) is asked once more, then the fault is told', async () => {
    const trouble = { kind: 'status', status: 500, message: 'boiler on fire' } as const;
    server.next(trouble, trouble);
    await fails(/in trouble \(500\): boiler on fire/, 'server', 2);
  });

  it('that hangs is left after its time', async () => {
    server.next({ kind: 'hang' });
    const { livedMs } = await timed(() => fails(/no answer within 2 s; raise AGENT_TIMEOUT_S/, 'timeout'));
    expect(livedMs).toBeLessThan(5000);
    await server.requests[0]?.gone;
    expect(gateway.calls[0]).toMatchObject({ estimated: true, tokensOut: 0 });
  });

  it.each(['garbage', 'odd'] as const)('that answers with %s is told about, and not asked again', async (kind) => {
    server.next({ kind });
    await fails(/could not be read|answered with nothing/, 'malformed');
  });

  it('that filters the answer away is named as the one who refused, and counts as working', async () => {
    server.next({ kind: 'answer', text: 'I would', finish: 'refused' });
    await fails(/content filter refused/, 'refused');
    expect(await gateway.status()).toMatchObject({ status: 'Healthy' });
  });

  it('that answers with nothing is told about', async () => {
    server.next({ kind: 'answer', text: '' });
    await fails(/answered with nothing/, 'malformed');
  });

  it('that does not take the conversation (400) is quoted and not asked again', async () => {
    server.next({ kind: 'status', status: 400, message: `too  long\n for ${KEY}` });
    await fails(/does not take this conversation \(400\): too long for \*\*\*/, 'request');
  });

  it('without such a model (404) points to the setting', async () => {
    server.next({ kind: 'status', status: 404 });
    await fails(/has no model .* check AGENT_MODELS/, 'setup');
  });

  it('that points elsewhere is not followed', async () => {
    const elsewhere = await startModelServer(protocol);
    server.next({ kind: 'status', status: 307, headers: { location: `${elsewhere.url}/chat/completions` } });
    await fails(/points to another address \(307\)/, 'setup');
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });

  it('that does not accept the key says which setting to check, and repeats nothing of the key', async () => {
    const wrong = 'sk-wrong-secret-key-000';
    gateway = await openAgentDoor({ servers: [server], apiKey: wrong });
    for (const sent of [await gateway.chat(), await gateway.vision({ imageBase64: PNG })]) {
      expectRefusal(sent, 'AGENT_FAILED', 'faults');
      expect(sent.body.error).toMatch(/does not accept the key .* check [A-Z]+_(API|MODEL)_KEY/);
      expect(JSON.stringify(sent.body)).not.toMatch(/sk-wr/);
    }
    expect(gateway.calls.map(({ outcome }) => outcome)).toEqual(['setup', 'setup']);
    expect(JSON.stringify([gateway.calls, gateway.troubles, await gateway.status()])).not.toContain('sk-wr');
  });

  it('whose connection breaks before an answer is asked once more', async () => {
    server.next({ kind: 'reset' });
    expect((await gateway.chat()).body).toMatchObject({ response: 'Hello' });
    expect(gateway.calls.map(({ outcome }) => outcome)).toEqual(['unreachable', 'ok']);
  });

  it('where nobody listens cannot be reached', async () => {
    gateway = await openAgentDoor({ servers: [server], baseUrl: 'http://127.0.0.1:1/v1' });
    const sent = await gateway.chat();
    expect(sent.body.error).toMatch(/cannot be reached; check the network/);
    expect(sent.body.error).not.toContain('127.0.0.1');
    expect(gateway.calls).toHaveLength(2);
  });

  it.each(['reset', 'end', 'silence'] as const)(
    'whose stream stops in the middle (%s) ends with an error event',
    async (how) => {
      server.next({ kind: 'cut', text: 'Half of', how });
      const response = await gateway.stream({ prompt: 'x' });
      expect(response.status).toBe(200);
      const events = eventsOf(await response.text());
      expect(events.map(({ event }) => event)).toEqual([...Array(events.length - 1).fill('delta'), 'error']);
      expect(
        events
          .slice(0, -1)
          .map(({ data }) => data.text)
          .join(''),
      ).toBe('Half of');
      expect(events.at(-1)?.data).toMatchObject({
        success: false,
        code: 'AGENT_FAILED',
        requestId: expect.any(String),
      });
      expect(events.at(-1)?.data.error).toMatch(
        /broke off in the middle|no answer within|cannot be reached|could not be read/,
      );
      // What was written was paid for, though nobody counted it.
      expect(gateway.calls).toMatchObject([{ estimated: expect.any(Boolean), tokensOut: expect.any(Number) }]);
      expect(gateway.calls[0]?.tokensOut).toBeGreaterThan(0);
      expect(gateway.calls[0]?.outcome).not.toBe('ok');
    },
  );

  it.each(['garbage', 'odd', 'hang', 'reset'] as const)(
    'that fails before its stream begins (%s) is an ordinary refusal',
    async (kind) => {
      server.next({ kind }, { kind });
      const response = await gateway.stream({ prompt: 'x' });
      expect([response.status, response.headers.get('content-type')]).toEqual([502, 'application/json']);
      expect(await response.json()).toMatchObject({ success: false, code: 'AGENT_FAILED' });
    },
  );

  it('that never stops writing is stopped', async () => {
    server.next({ kind: 'endless' });
    const sent = await gateway.chat();
    expect(sent.body.code).toBe('AGENT_FAILED');
    await server.requests[0]?.gone;
  });
});
