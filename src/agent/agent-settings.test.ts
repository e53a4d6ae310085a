// The agent's settings as text: what is read, every fault at once, and no key repeated.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chainOf, readModels, readPrices, readProviders } from './agent-settings.ts';

const NONE = { openai: {}, anthropic: {}, google: {}, local: {} };

describe('AGENT_PROVIDERS', () => {
  it('is an order', () => {
    expect(readProviders(' google, openai ,')).toEqual({ value: ['google', 'openai'], faults: [] });
    expect(readProviders('')).toEqual({ value: [], faults: [] });
  });

  it('names what it does not know', () => {
    expect(readProviders('openai,openai,mistral').faults).toEqual([
      'AGENT_PROVIDERS names openai twice; name it once',
      'AGENT_PROVIDERS has "mistral"; use openai, anthropic, google, local',
    ]);
  });
});

describe('AGENT_MODELS', () => {
  it('maps a provider to a model', () => {
    const { value, faults } = readModels('openai=gpt-4.1, local=hf.co/org/model:Q4_K_M');
    expect([...value]).toEqual([
      ['openai', 'gpt-4.1'],
      ['local', 'hf.co/org/model:Q4_K_M'],
    ]);
    expect(faults).toEqual([]);
  });

  it.each(['gpt-4.1', 'openai', 'openai=', 'openai=a b', 'other=x', 'openai=a,openai=b', `openai=${'x'.repeat(129)}`])(
    '%s is refused',
    (text) => {
      expect(readModels(text).faults).toHaveLength(1);
    },
  );
});

describe('AGENT_PRICES', () => {
  it('maps a model to its prices', () => {
    const { value, faults } = readPrices('gpt-4.1=2/8,org/model:8b=0.05/0.4');
    expect([...value]).toEqual([
      ['gpt-4.1', { inUsd: 2, outUsd: 8 }],
      ['org/model:8b', { inUsd: 0.05, outUsd: 0.4 }],
    ]);
    expect(faults).toEqual([]);
  });

  it.each(['x', 'x=1', 'x=1/', 'x=1/2/3', 'x=-1/2', 'x=1e9/2', 'x=a/b', '=1/2', 'x=1/2,x=1/2', 'x=12345678/1'])(
    '%s is refused',
    (text) => {
      expect(readPrices(text).faults).toHaveLength(1);
    },
  );
});

describe('any text', () => {
  it('is read or refused in words, never thrown over, and never repeated at length', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('a', '=', ',', '/', '1', '.', ' ') })),
        (text) => {
          for (const read of [readProviders, readModels, readPrices])
            for (const fault of read(text).faults) expect(fault.length).toBeLessThan(300);
        },
      ),
      { numRuns: 500 },
    );
    const key = 'sk-0123456789abcdef0123456789abcdef';
    expect(JSON.stringify([readProviders(key), readModels(key), readPrices(key)])).not.toContain(key);
  });
});

describe('the chain', () => {
  it('is every provider that has its key or address, when none is named', () => {
    const access = { ...NONE, google: { apiKey: 'g' }, anthropic: { apiKey: 'a', baseUrl: 'http://x/v1' } };
    expect(chainOf([], new Map(), access)).toEqual({
      value: [
        { provider: 'anthropic', model: 'claude-sonnet-4-5', apiKey: 'a', baseUrl: 'http://x/v1' },
        { provider: 'google', model: 'gemini-2.5-flash', apiKey: 'g' },
      ],
      faults: [],
    });
    expect(chainOf([], new Map(), NONE)).toEqual({ value: [], faults: [] });
  });

  it('is what is named, in that order, with the models that were chosen', () => {
    const access = { ...NONE, openai: { apiKey: 'o' }, local: { baseUrl: 'http://127.0.0.1:11434/v1' } };
    const models = new Map([['local', 'llama3.1:8b']] as const);
    expect(chainOf(['local', 'openai'], models, access).value.map(({ model }) => model)).toEqual([
      'llama3.1:8b',
      'gpt-4.1-mini',
    ]);
  });

  it('says what is missing', () => {
    expect(
      chainOf(['openai', 'local'], new Map(), { ...NONE, local: { baseUrl: 'http://127.0.0.1/v1' } }).faults,
    ).toEqual([
      'AGENT_PROVIDERS names openai, but OPENAI_API_KEY is not set; set it, or leave openai out',
      'local has no model; set AGENT_MODELS=local=the-name-of-your-model',
    ]);
    expect(chainOf(['local'], new Map(), { ...NONE, local: { apiKey: 'x' } }).faults[0]).toContain('LOCAL_MODEL_URL');
  });
});
