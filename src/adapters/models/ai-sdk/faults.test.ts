// What the AI SDK throws as a fault in words: every kind, every form of Retry-After, and no secret in it.

import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ModelFault } from '../../../agent/model-provider.ts';
import { type FaultParts, faultOf } from './faults.ts';

const PARTS: FaultParts = { provider: 'openai', model: 'm', apiKey: 'sk-secret' };
const thrown = (statusCode: number, more: object = {}) =>
  Object.assign(new Error('words of the server'), { name: 'AI_APICallError', statusCode, ...more });

describe('a status', () => {
  it.each<[number, string, boolean]>([
    [200, 'malformed', false],
    [301, 'setup', false],
    [400, 'request', false],
    [401, 'setup', false],
    [402, 'setup', false],
    [403, 'setup', false],
    [404, 'setup', false],
    [408, 'server', true],
    [413, 'request', false],
    [422, 'request', false],
    [429, 'rate-limited', true],
    [500, 'server', true],
    [503, 'server', true],
    [529, 'server', true],
  ])('%i is %s', (status, kind, retryable) => {
    expect(faultOf(thrown(status), PARTS)).toMatchObject({ kind, retryable });
  });

  it('without a connection is unreachable', () => {
    const error = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:443'), { name: 'AI_APICallError' });
    const fault = faultOf(error, PARTS);
    expect(fault).toMatchObject({ kind: 'unreachable', retryable: true });
    expect(fault.message).not.toContain('10.0.0.1');
  });
});

describe('Retry-After', () => {
  const date = 'Sun, 15 Nov 2026 10:00:00 GMT';
  it.each<[string, Record<string, string>, number | undefined]>([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['a fraction', { 'retry-after': '0.5' }, 500],
    ['milliseconds', { 'retry-after-ms': '250', 'retry-after': '7' }, 250],
    ['a date, by the clock of the server', { 'retry-after': 'Sun, 15 Nov 2026 10:00:20 GMT', date }, 20_000],
    ['a date that is past', { 'retry-after': 'Sun, 15 Nov 2026 09:00:00 GMT', date }, 0],
    ['a date without a clock', { 'retry-after': date }, undefined],
    ['something else', { 'retry-after': 'soon' }, undefined],
    ['nothing', {}, undefined],
  ])('as %s', (_, responseHeaders, retryAfterMs) => {
    expect(faultOf(thrown(429, { responseHeaders }), PARTS).retryAfterMs).toBe(retryAfterMs);
  });
});

describe('anything thrown', () => {
  it('becomes a fault without the key and of bounded length', () => {
    const anyError = fc.record(
      {
        name: fc.constantFrom('AI_APICallError', 'AI_InvalidPromptError', 'TypeError', 'x'),
        message: fc.string({ maxLength: 900 }).map((text) => `${text} sk-secret ${text}`),
        statusCode: fc.oneof(fc.integer({ min: 100, max: 599 }), fc.constant('500'), fc.constant(Number.NaN)),
        data: fc.oneof(fc.constant(null), fc.record({ error: fc.constantFrom(null, 'x', { code: 1 }) })),
        responseHeaders: fc.dictionary(fc.constantFrom('retry-after', 'date', 'x'), fc.string()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(anyError, fc.anything()), (error) => {
        const fault = faultOf(error, PARTS);
        expect(fault).toBeInstanceOf(ModelFault);
        expect(fault.message).not.toContain('sk-secret');
        expect(fault.message.length).toBeLessThan(450);
        expect(fault.message).not.toContain('\n');
      }),
      { numRuns: 500 },
    );
  });
});

it('no file of ours loads a package of a provider before it is needed', () => {
  const folder = new URL('./', import.meta.url);
  const sources = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  expect(sources.length).toBeGreaterThan(4);
  for (const name of sources)
    expect(readFileSync(new URL(name, folder), 'utf8'), name).not.toMatch(
      /^import (?!type\b)[^;]*from '(?:@ai-sdk\/|ai')/m,
    );
});
