// Asking one provider: time, retries, the circuit, and providers that heed nothing; each call is accounted for once.

import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { type CallContext, createProviderCaller, type TextOut } from './call-provider.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { type AskOptions, ModelFault, type ModelReply, type ModelRequest } from './model-provider.ts';
import type { UsageEntry } from './usage-ledger.ts';

const REQUEST: ModelRequest = { messages: [{ role: 'user', text: 'x'.repeat(40) }], tools: [] };
const REPLY: ModelReply = {
  ...{ text: 'Yes.', toolRequests: [], finish: 'stop', tokens: { tokensIn: 3, tokensOut: 2 }, warnings: [] },
  origin: { provider: 'openai', content: [] },
};
const entries: UsageEntry[] = [];
beforeEach(() => {
  entries.length = 0;
});

type Ask = (options: AskOptions, call: number) => Promise<ModelReply>;

function open(ask: Ask, timeoutMs = 200, monotonicMs = Date.now) {
  let calls = 0;
  const leaving = new AbortController();
  const said: string[] = [];
  const out: TextOut = {
    get said() {
      return said.length > 0;
    },
    say: (text) => said.push(text),
  };
  const caller = createProviderCaller({
    provider: { name: 'openai', model: 'm', ask: (_, options) => ask(options, ++calls) },
    breaker: createCircuitBreaker(Date.now),
    price: { inUsd: 1, outUsd: 1 },
    timeoutMs,
    nowMs: () => 5,
    monotonicMs,
    random: () => 0,
    account: async (entry) => void entries.push(entry),
  });
  const context: CallContext = { requestId: 'r', door: 'chat', signal: leaving.signal };
  return {
    caller,
    leaving,
    said,
    calls: () => calls,
    call: () => caller.call(REQUEST, context),
    stream: () => caller.call(REQUEST, { ...context, out }),
  };
}

const never = (): Promise<never> => new Promise(() => {});
const broken = (options = {}): ModelFault => new ModelFault('server', 'broken', { retryable: true, ...options });

describe('a call', () => {
  it('is accounted for with what the provider counted', async () => {
    await open(async () => REPLY).call();
    expect(entries).toMatchObject([{ outcome: 'ok', tokensIn: 3, tokensOut: 2, costNanoUsd: 5000, estimated: false }]);
  });

  it('ends with its time, even if the provider heeds nothing', async () => {
    await expect(open(never).call()).rejects.toMatchObject({ kind: 'timeout' });
    expect(entries).toMatchObject([{ outcome: 'timeout', tokensIn: 10, tokensOut: 0, estimated: true }]);
  });

  it('ends when the caller leaves, and says nothing about the provider', async () => {
    const { call, leaving, caller } = open(never, 5000);
    const calling = call();
    leaving.abort();
    await expect(calling).rejects.toMatchObject({ kind: 'canceled' });
    expect(caller.circuit()).toBe('closed');
    expect(entries).toMatchObject([{ outcome: 'canceled' }]);
  });

  it('of a caller who has left is not made', async () => {
    const { call, leaving, calls } = open(async () => REPLY);
    leaving.abort();
    await expect(call()).rejects.toMatchObject({ kind: 'canceled' });
    expect([calls(), entries]).toEqual([0, []]);
  });

  it('ends with the reason of the signal where that is a fault', async () => {
    const { call, leaving } = open(never, 5000);
    const calling = call();
    leaving.abort(new ModelFault('timeout', 'five minutes are over'));
    await expect(calling).rejects.toThrow('five minutes are over');
  });

  it('that throws what is no fault is malformed, and its words stay inside', async () => {
    await expect(open(() => Promise.reject(new Error('a secret'))).call()).rejects.toMatchObject({
      kind: 'malformed',
      message: 'its answer could not be read',
    });
  });

  it('with nothing but blanks in its answer is none, and still counts', async () => {
    await expect(open(async () => ({ ...REPLY, text: ' \n' })).call()).rejects.toThrow('answered with nothing');
    expect(entries).toMatchObject([{ outcome: 'malformed', tokensIn: 3, tokensOut: 2, estimated: false }]);
    await expect(open(async () => ({ ...REPLY, text: '', finish: 'length' })).call()).rejects.toThrow(
      'raise maxTokens',
    );
  });
});

describe('a retry', () => {
  it('is made once, for what is worth it', async () => {
    const { call, calls } = open(() => Promise.reject(broken()), 1000);
    await expect(call()).rejects.toThrow('broken');
    expect([calls(), entries.length]).toEqual([2, 2]);
    const other = open(() => Promise.reject(new ModelFault('request', 'no')), 1000);
    await expect(other.call()).rejects.toThrow('no');
    expect(other.calls()).toBe(1);
  });

  it('has only the time that is left', async () => {
    // The first try takes all but 20 ms of ten minutes: a second one with its full time would outlast this test.
    let nowMs = 0;
    const ask: Ask = (_, call) => {
      nowMs = 599_980;
      return call === 1 ? Promise.reject(broken({ retryAfterMs: 10 })) : never();
    };
    const { call, calls } = open(ask, 600_000, () => nowMs);
    await expect(call()).rejects.toMatchObject({ kind: 'timeout' });
    expect(calls()).toBe(2);
  });

  it('that could not begin in time is not waited for', async () => {
    const { call, calls } = open(() => Promise.reject(broken({ retryAfterMs: 200 })), 200);
    await expect(call()).rejects.toThrow('broken');
    expect(calls()).toBe(1);
  });

  it('is not made for a caller who leaves while waiting for it', async () => {
    const { call, calls, leaving } = open(() => Promise.reject(broken({ retryAfterMs: 2000 })), 5000);
    const calling = call();
    await sleep(20);
    leaving.abort();
    await expect(calling).rejects.toMatchObject({ kind: 'canceled' });
    expect([calls(), entries.length]).toEqual([1, 1]);
  });

  it('counts as one failure of the circuit together with its first try', async () => {
    const { call, caller, calls } = open(() => Promise.reject(broken({ retryAfterMs: 0 })), 1000);
    for (let failure = 0; failure < 2; failure++) await call().catch(() => {});
    expect([caller.circuit(), calls()]).toEqual(['closed', 4]);
    await call().catch(() => {});
    expect(caller.circuit()).toBe('open');
    await expect(call()).rejects.toThrow('left alone');
    expect(calls()).toBe(6);
  });
});

describe('a stream', () => {
  it('that has begun is not tried again', async () => {
    const { stream, calls, said } = open(async ({ onPart }) => {
      onPart?.('Half');
      throw broken();
    }, 1000);
    await expect(stream()).rejects.toThrow('broken');
    expect([calls(), said]).toEqual([1, ['Half']]);
    expect(entries).toMatchObject([{ outcome: 'server', tokensIn: 10, tokensOut: 1, estimated: true }]);
  });

  it('that only showed life is tried again', async () => {
    const { stream, said } = open(async ({ onPart }, call) => {
      onPart?.('');
      if (call === 1) throw broken({ retryAfterMs: 1 });
      return REPLY;
    }, 1000);
    await expect(stream()).resolves.toBe(REPLY);
    expect(said).toEqual([]);
  });

  it('lives as long as it shows life', async () => {
    const { stream } = open(async ({ onPart }) => {
      for (let part = 0; part < 6; part++) {
        await sleep(60);
        onPart?.('');
      }
      return REPLY;
    }, 200);
    await expect(stream()).resolves.toBe(REPLY);
  });

  it('that goes on after its end is not listened to', async () => {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const { stream, said, leaving } = open(async ({ onPart }) => {
      onPart?.('Once');
      await sleep(50);
      onPart?.(' upon a time');
      resolve();
      return REPLY;
    }, 1000);
    const streaming = stream();
    await sleep(10);
    leaving.abort();
    await expect(streaming).rejects.toMatchObject({ kind: 'canceled' });
    await over;
    expect(said).toEqual(['Once']);
  });
});
