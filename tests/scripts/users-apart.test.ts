// Users kept apart: in a crowd, everybody is answered exactly what they would be answered alone, on a real database.

import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { openTestScripts } from '../../src/adapters/storage/sqlite/strangers/testing/open-test-scripts.ts';
import { openScriptsApp, type ScriptsApp, type Sent } from '../../src/services/scripts/testing/scripts-app.ts';

const shared = openTestScripts();
afterAll(() => shared.close());

interface Step {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

interface Turn {
  readonly user: number;
  readonly step: Step;
}

const USERS = 3;
const ids = fc.constantFrom('a', 'b', 'c');
const paths = ids.map((id) => `/api/scripts/${id}`);
/** The user's name stands in the text, so that a leak would be seen in it. */
const texts = fc.record({ name: fc.constantFrom('one', 'two'), content: fc.constantFrom('x', 'y', '') });
const revisions = fc.option(fc.nat({ max: 4 }), { nil: undefined });
const conditions = fc.oneof(
  fc.constant({}),
  fc.constantFrom('"1"', 'W/"2"', '3', '*').map((tag) => ({ 'if-match': tag })),
);
const withRevision = (body: object, revision: number | undefined): object =>
  revision === undefined ? body : { ...body, revision };

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(paths, texts, revisions)
      .map(([path, text, revision]): Step => ({ method: 'PUT', path, body: withRevision(text, revision) })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(paths, texts, conditions)
      .map(([path, body, headers]): Step => ({ method: 'PUT', path, body, headers })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(ids, texts)
      .map(([id, text]): Step => ({ method: 'POST', path: '/api/scripts', body: { id, ...text } })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(paths, conditions).map(([path, headers]): Step => ({ method: 'DELETE', path, headers })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(texts, revisions).map(
      ([text, revision]): Step => ({
        method: 'PUT',
        path: '/api/scripts/_draft',
        body: withRevision(text, revision),
      }),
    ),
  },
  fc.constantFrom<Step>(
    { method: 'GET', path: '/api/scripts' },
    { method: 'GET', path: '/api/scripts?limit=1' },
    { method: 'GET', path: '/api/scripts?limit=1&cursor=a2' },
    { method: 'GET', path: '/api/scripts/_draft' },
    { method: 'GET', path: '/api/usage' },
    { method: 'POST', path: '/api/run', body: {} },
  ),
  paths.map((path): Step => ({ method: 'GET', path })),
  paths.map((path): Step => ({ method: 'GET', path: `${path}/versions` })),
  fc
    .tuple(paths, fc.nat({ max: 4 }))
    .map(([path, revision]): Step => ({ method: 'GET', path: `${path}/versions/${revision}` })),
);
const turns = fc.array(fc.record({ user: fc.nat({ max: USERS - 1 }), step: steps }), { minLength: 5, maxLength: 40 });

const answerOf = ({ status, text, headers }: Sent) => ({ status, text, etag: headers.get('etag') });

/** The users' texts carry their numbers. */
const marked = ({ body, ...step }: Step, user: number): Step =>
  body === undefined
    ? step
    : { ...step, body: 'content' in body ? { ...body, content: `${user}:${body.content}` } : body };

async function play(app: ScriptsApp, key: string, step: Step) {
  return answerOf(await app.send(step.method, step.path, { key, ...step }));
}

describe('users', () => {
  test('never see one another: ids, texts, drafts, versions, conflicts, usage', async () => {
    const crowd = openScriptsApp({ scriptStore: shared.storage.scripts, usageStore: shared.storage.usage });
    await fc.assert(
      fc.asyncProperty(turns, async (played: readonly Turn[]) => {
        // New keys are new users, with nothing in their libraries; and the minute of their runs begins anew.
        const keys = await Promise.all(Array.from({ length: USERS }, () => crowd.newKey()));
        const alone = await Promise.all(
          keys.map(async () => {
            const app = openScriptsApp();
            return { app, key: await app.newKey() };
          }),
        );
        for (const { user, step } of played) {
          const own = alone[user];
          const inCrowd = await play(crowd, keys[user] ?? '', marked(step, user));
          expect(inCrowd).toEqual(own && (await play(own.app, own.key, marked(step, user))));
        }
      }),
      { numRuns: 60 },
    );
  });

  test('with an id of somebody else are told what they would be told of none', async () => {
    const app = openScriptsApp({ scriptStore: shared.storage.scripts });
    const [ann, bob] = [await app.newKey(), await app.newKey()];
    await app.send('PUT', '/api/scripts/secret', { key: ann, body: { name: 'n', content: 'c' } });
    for (const method of ['GET', 'DELETE']) {
      const [theirs, nobodys] = await Promise.all(
        ['secret', 'nothing'].map((id) => app.send(method, `/api/scripts/${id}`, { key: bob })),
      );
      expect(theirs?.status).toBe(404);
      expect(theirs?.text).toBe(nobodys?.text);
    }
    const stale = await app.send('PUT', '/api/scripts/secret', {
      key: bob,
      body: { name: 'n', content: 'c', revision: 1 },
    });
    expect(stale.body).toMatchObject({ code: 'CONFLICT', remoteRevision: 0 });
    const made = await app.send('POST', '/api/scripts', {
      key: bob,
      body: { id: 'secret', name: 'n', content: 'bob' },
    });
    expect([made.status, made.body.script.revision]).toEqual([201, 1]);
    expect((await app.send('GET', '/api/scripts/secret', { key: ann })).body.script.content).toBe('c');
  });

  test('with open keys are apart as well, and the spaces around a key are not part of it', async () => {
    const app = openScriptsApp({ keyStore: 'none', allowOpenKeys: true, scriptStore: shared.storage.scripts });
    await app.send('PUT', '/api/scripts/x', { key: 'ann', body: { name: 'n', content: 'c' } });
    expect((await app.send('GET', '/api/scripts', { key: 'Ann' })).body.scripts).toEqual([]);
    expect((await app.send('GET', '/api/scripts?key=%20ann%20')).body.scripts).toHaveLength(1);
  });
});

describe('two writers with one revision', () => {
  test('through two processes’ ways to one file: one is saved, the other gets 409 with remoteRevision', async () => {
    const key = 'the-key-of-both';
    const open = (scriptStore = shared.another().scripts) =>
      openScriptsApp({ keyStore: 'none', allowOpenKeys: true, scriptStore });
    const [one, two] = [open(), open()];
    await one.send('PUT', '/api/scripts/both', { key, body: { name: 'n', content: '' } });
    for (let revision = 1; revision <= 20; revision += 1) {
      const sent = await Promise.all(
        [one, two].map((app, n) =>
          app.send('PUT', '/api/scripts/both', {
            key,
            body: { name: 'n', content: `${n} after ${revision}` },
            headers: { 'if-match': `"${revision}"` },
          }),
        ),
      );
      expect(sent.map(({ status }) => status).sort()).toEqual([200, 409]);
      const [won, lost] = sent.sort((a, b) => a.status - b.status);
      expect(lost?.body).toMatchObject({ code: 'CONFLICT', remoteRevision: revision + 1 });
      expect((await two.send('GET', '/api/scripts/both', { key })).body.script).toEqual(won?.body.script);
    }
  });
});
