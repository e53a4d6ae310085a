// Garbage of every kind, by a user and by strangers: it is refused in shape, is never a fault of ours, and changes nothing.

import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { openLibrariesApp } from './testing/libraries-app.ts';
import { openScriptsApp, type Sent, TEXT } from './testing/scripts-app.ts';

const printable = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) });
const segment = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('_draft', '..', '%00', 'mine', 'versions', '1'),
);
const method = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS');
const path = fc.oneof(
  fc.array(segment, { maxLength: 4 }).map((parts) => `/api/scripts${parts.map((part) => `/${safely(part)}`).join('')}`),
  fc
    .array(segment, { maxLength: 4 })
    .map((parts) => `/api/libraries${parts.map((part) => `/${safely(part)}`).join('')}`),
  fc.constantFrom('/api/lsp/hover', '/api/lsp/completion', '/api/libraries/resolve'),
  fc.constantFrom('/api/keys', '/api/run', '/api/usage', '/api/git/oauth/device/start', '/api/git/oauth/device/poll'),
);
const query = fc.dictionary(
  fc.constantFrom('limit', 'cursor', 'revision', 'action', 'tier', 'key', 'x'),
  fc.string({ unit: 'binary' }),
);
const headers = fc.dictionary(
  fc.constantFrom('if-match', 'if-none-match', 'x-admin-token', 'authorization', 'content-type'),
  printable,
);
const body = fc.oneof(
  fc.json(),
  fc.string({ unit: 'binary' }),
  fc
    .record(
      {
        ...{ id: fc.anything(), name: fc.anything(), content: fc.anything(), revision: fc.anything() },
        ...{ tier: fc.anything(), publisher: fc.anything(), version: fc.anything(), script: fc.anything() },
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? String(item) : item)) ?? ''),
);

/** A lone surrogate cannot stand in an address. */
const safely = (text: string): string => encodeURIComponent(text.toWellFormed());
const queryText = (pairs: Record<string, string>): string =>
  new URLSearchParams(
    Object.entries(pairs).map(([name, value]): [string, string] => [name, value.toWellFormed()]),
  ).toString();

function expectCalm(sent: Sent): void {
  expect(sent.status, sent.text).toBeLessThan(500);
  if (sent.status >= 400 && sent.text !== '')
    expect(sent.body).toMatchObject({ status: 'error', code: expect.stringMatching(/^[A-Z_]+$/) });
}

test('is refused calmly, and nobody else’s library changes', async () => {
  const app = openLibrariesApp();
  onTestFinished(() => app.close());
  const [key, other] = [await app.newKey(), await app.newKey()];
  await app.send('PUT', '/api/scripts/mine', { key: other, body: TEXT });
  const before = (await app.send('GET', '/api/scripts/mine/versions', { key: other })).text;
  await fc.assert(
    fc.asyncProperty(method, path, query, headers, body, fc.boolean(), async (verb, at, pairs, sent, text, known) => {
      const hasBody = verb !== 'GET' && verb !== 'HEAD';
      const answer = await app.send(verb, `${at}?${queryText(pairs)}`, {
        headers: { ...sent, ...(known ? { authorization: `Bearer ${key}` } : {}) },
        ...(hasBody ? { body: text } : {}),
      });
      expectCalm(answer);
      app.clock.nowMs += 60_000;
    }),
    { numRuns: 500 },
  );
  expect((await app.send('GET', '/api/scripts/mine/versions', { key: other })).text).toBe(before);
  expect(app.faults).toEqual([]);
});

test('as a revision is taken for none: only digits, quoted or not, and * are understood', async () => {
  const app = openScriptsApp();
  const key = await app.newKey();
  await fc.assert(
    fc.asyncProperty(printable, async (tag) => {
      const answer = await app.send('PUT', '/api/scripts/new', { key, body: TEXT, headers: { 'if-match': tag } });
      const digits = /^(?:W\/)?"(\d{1,15})"$|^(\d{1,15})$/.exec(tag.trim());
      const wanted = tag.trim() === '*' || (digits && Number(digits[1] ?? digits[2]) > 0) ? 409 : digits ? 201 : 400;
      expect(answer.status).toBe(wanted);
      if (wanted === 201) await app.send('DELETE', '/api/scripts/new', { key });
    }),
    { numRuns: 300, examples: [['"0"'], ['0'], ['"7"'], ['W/"7"'], ['w/"7"'], ['*'], ['""'], ['"1"x'], [' 1 ']] },
  );
});
