// What only one provider does: refusals in fields of their own, errors inside a stream that began well, signed thoughts.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AgentGateway, eventsOf, openAgentDoor, openAgentGateway } from '../support/agent.ts';
import { anthropicProtocol } from '../support/model-servers/anthropic-protocol.ts';
import { googleProtocol } from '../support/model-servers/google-protocol.ts';
import { event, type ModelServer, startModelServer, type WireProtocol } from '../support/model-servers/model-server.ts';
import { localProtocol, openaiProtocol } from '../support/model-servers/openai-protocol.ts';

const raw = (body: object) => ({ kind: 'raw' as const, body: JSON.stringify(body) });
const rawEvents = (...events: string[]) => ({ kind: 'raw' as const, body: events.join('') });

function serverFor(protocol: WireProtocol): { current: ModelServer } {
  const held = {} as { current: ModelServer };
  beforeAll(async () => {
    held.current = await startModelServer(protocol);
  });
  beforeEach(() => held.current.reset());
  afterAll(() => held.current.close());
  return held;
}
const stream = async (server: ModelServer) => {
  const door = await openAgentDoor({ servers: [server] });
  const response = await door.stream({ prompt: 'x' });
  return { door, status: response.status, text: await response.text() };
};

describe('OpenAI', () => {
  const server = serverFor(openaiProtocol);

  it('refuses in a field of its own', async () => {
    const message = { role: 'assistant', content: null, refusal: 'I cannot help with that.' };
    server.current.next(
      raw({
        ...{ id: '1', object: 'chat.completion', created: 1, model: 'm' },
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage: { prompt_tokens: 9, completion_tokens: 8, total_tokens: 17 },
      }),
    );
    const door = await openAgentDoor({ servers: [server.current] });
    expect((await door.chat()).body.error).toContain('content filter refused');
    // A refusal is paid for like any answer.
    expect(door.calls).toMatchObject([{ outcome: 'refused', tokensIn: 9, tokensOut: 8, estimated: false }]);
  });

  it('reports trouble inside a stream that answered 200', async () => {
    const trouble = event({ error: { message: 'The server had an error', type: 'server_error', code: null } });
    server.current.next(rawEvents(trouble), rawEvents(trouble));
    const { status, door } = await stream(server.current);
    expect(status).toBe(502);
    expect(door.calls.map(({ outcome }) => outcome)).toEqual(['server', 'server']);
  });
});

describe('Anthropic', () => {
  const server = serverFor(anthropicProtocol);
  const overloaded = event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'error');

  it('says inside a stream that it is overloaded, and is asked once more', async () => {
    server.current.next(rawEvents(overloaded));
    const { text, door } = await stream(server.current);
    expect(eventsOf(text).at(-1)).toMatchObject({ event: 'done', data: { response: 'Hello' } });
    expect(door.calls.map(({ outcome }) => outcome)).toEqual(['server', 'ok']);
  });

  it('may say so in the middle, which ends the answer', async () => {
    server.current.next(rawEvents(...anthropicProtocol.opening('Well, '), overloaded));
    const { text } = await stream(server.current);
    const events = eventsOf(text);
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'AGENT_FAILED' } });
    expect(events.at(-1)?.data.error).toContain('Overloaded');
    expect(server.current.requests).toHaveLength(1);
  });

  it('gets its signed thoughts back with what was looked up', async () => {
    const gateway: AgentGateway = await openAgentGateway({ servers: [server.current] });
    server.current.next(
      raw({
        ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null },
        content: [
          { type: 'thinking', thinking: 'I should look.', signature: 'signed-by-them' },
          { type: 'tool_use', id: 'toolu_1', name: 'get_positions', input: {} },
        ],
        stop_reason: 'tool_use',
        usage: { input_tokens: 1, output_tokens: 1 },
      }),
    );
    const { body } = await gateway.chat({ prompt: 'x', tools: true });
    expect(body).toMatchObject({ response: 'Hello', toolCalls: [{ name: 'get_positions' }] });
    expect(body.response).not.toContain('I should look');
    const [, assistant, result] = server.current.requests[1]?.body.messages ?? [];
    expect(assistant.content).toMatchObject([
      { type: 'thinking', thinking: 'I should look.', signature: 'signed-by-them' },
      { type: 'tool_use', id: 'toolu_1', name: 'get_positions', input: {} },
    ]);
    expect(result.content).toMatchObject([{ type: 'tool_result', tool_use_id: 'toolu_1' }]);
  });
});

describe('Google', () => {
  const server = serverFor(googleProtocol);

  it.each([
    ['a prompt', { promptFeedback: { blockReason: 'SAFETY' } }, 'refused'],
    [
      'an answer',
      { candidates: [{ index: 0, content: { role: 'model', parts: [] }, finishReason: 'RECITATION' }] },
      'refused',
    ],
    [
      'nothing, but cannot call a tool',
      { candidates: [{ index: 0, finishReason: 'MALFORMED_FUNCTION_CALL' }] },
      'malformed',
    ],
  ])('blocks %s', async (_, body, outcome) => {
    server.current.next(raw(body), rawEvents(event(body)));
    const door = await openAgentDoor({ servers: [server.current] });
    expect((await door.chat()).status).toBe(502);
    expect((await door.stream({ prompt: 'x' })).status).toBe(502);
    expect(door.calls.map((call) => call.outcome)).toEqual([outcome, outcome]);
  });

  it('gets the signature of its thoughts back', async () => {
    const gateway: AgentGateway = await openAgentGateway({ servers: [server.current] });
    const parts = [{ functionCall: { name: 'get_positions', args: {} }, thoughtSignature: 'signed-by-them' }];
    const body = { candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }] };
    for (const planned of [raw(body), rawEvents(event(body))]) {
      server.current.reset();
      server.current.next(planned);
      const question = { prompt: 'x', tools: true };
      if (planned.body.startsWith('data')) await (await gateway.stream(question)).text();
      else await gateway.chat(question);
      expect(server.current.requests[1]?.body.contents[1].parts).toMatchObject(parts);
    }
  });
});

describe('a compatible server', () => {
  const server = serverFor(localProtocol);

  it('may think aloud; that is not the answer', async () => {
    const message = { role: 'assistant', content: 'Four.', reasoning_content: 'Two and two make…' };
    server.current.next(
      raw({ id: '1', object: 'x', created: 1, model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }] }),
    );
    const door = await openAgentDoor({ servers: [server.current] });
    expect((await door.chat()).body.response).toBe('Four.');
  });

  it('without a finish reason and without a count still answers', async () => {
    server.current.next(raw({ choices: [{ message: { role: 'assistant', content: 'Yes.' } }] }));
    const door = await openAgentDoor({ servers: [server.current] });
    expect((await door.chat()).body).toMatchObject({ response: 'Yes.', finishReason: 'stop' });
    expect(door.calls).toMatchObject([{ estimated: true }]);
  });

  it.each([-1, 1.5, 1e300, '7'])('that counts %s tokens is not believed', async (count) => {
    server.current.next(
      raw({
        choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: count, completion_tokens: 1, total_tokens: 1 },
      }),
    );
    const door = await openAgentDoor({ servers: [server.current] });
    const sent = await door.chat();
    expect(door.calls[0]?.tokensIn).toBeLessThan(100);
    expect(Number.isInteger(door.calls[0]?.tokensIn)).toBe(true);
    expect([200, 502]).toContain(sent.status);
    expect(door.troubles).toEqual([]);
  });

  it('without a key gets none', async () => {
    const door = await openAgentDoor({ servers: [server.current], apiKey: '' });
    await door.chat();
    expect(server.current.requests[0]?.headers.authorization).toBeUndefined();
  });
});
