// The guide to POST /query as a test: what it lists is what there is, and every line to copy works.

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { FUNCTIONS, READABLE, WRITABLE } from '../../src/adapters/storage/sql/query/policy.ts';
import { DEFAULT_LIMITS } from '../../src/adapters/storage/sql/query/queries.ts';
import { type AskedGateway, openAsked } from './asking.ts';

const GUIDE = readFileSync(new URL('../../docs/guides/query.md', import.meta.url), 'utf8');
const row = (name: string): string => new RegExp(`^\\| ${name} \\| (.*) \\|$`, 'm').exec(GUIDE)?.[1] ?? '';
const words = (text: string): string[] => Array.from(text.matchAll(/`([^`]+)`/g), ([, word]) => word ?? '');

describe('the guide', () => {
  it('lists the tables', () => {
    expect(words(row('read'))).toEqual(Object.keys(READABLE));
    expect(words(row('write'))).toEqual([WRITABLE]);
  });

  it('lists the functions, every one and no other', () => {
    const listed = ['aggregates', 'windows', 'numbers', 'time', 'text', 'others'].flatMap((name) => words(row(name)));
    expect(listed.sort()).toEqual([...FUNCTIONS].sort());
  });

  it('tells the limits', () => {
    expect(row('time of a `SELECT`')).toMatch(new RegExp(`^${DEFAULT_LIMITS.readMs / 1000} s`));
    expect(row('time of a write')).toMatch(new RegExp(`^${DEFAULT_LIMITS.writeMs / 1000} s`));
    expect(row('rows')).toMatch(/^10 000/);
    expect(DEFAULT_LIMITS).toMatchObject({
      maxRows: 10_000,
      maxBytes: 16 * 2 ** 20,
      maxWaiting: 16,
      maxWaitMs: 10_000,
    });
    expect(row('results')).toMatch(/^16 MiB/);
    expect(row('at once')).toMatch(/^1 runs, 16 wait, 10 s each/);
  });
});

describe('every line to copy', () => {
  const bodies = Array.from(GUIDE.matchAll(/-d '(\{[^']*\})'/g), ([, body]) => body ?? '');
  let gateway: AskedGateway;
  beforeAll(async () => {
    gateway = await openAsked();
    await gateway.send();
  });

  it('is found', () => {
    expect(bodies.length).toBeGreaterThan(5);
  });

  it.each(bodies)('works: %s', async (body) => {
    const sent = await gateway.request('POST', '/query', body);
    expect([sent.status, sent.body.error]).toEqual([200, undefined]);
  });
});
