// Publishing through the front door, with the real compiler: what is taken, what is refused, and what imports find.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createJobRunner } from '../adapters/scripts/run-job.ts';
import { openTestScripts, type TestScripts } from '../adapters/storage/sqlite/strangers/testing/open-test-scripts.ts';
import { compile } from '../pine/index.ts';
import { importsOf } from '../pine/light.ts';
import { createPublications, type Publications, type WantedPublication } from './publications.ts';
import type { Checked } from './script-runner.ts';

const ANN = 'a'.repeat(32);
const BOB = 'b'.repeat(32);
const answer = createJobRunner('command');

let opened: TestScripts;
let publications: Publications;
beforeEach(() => {
  opened = openTestScripts();
  publications = createPublications({
    store: opened.storage.publications,
    scripts: opened.storage.scripts,
    checker: { check: async ({ caller: _, ...request }) => answer({ kind: 'check', ...request }) as Checked },
    nowMs: () => 5,
  });
});
afterEach(() => opened.close());

const library = (name: string, text = 'export f(float x) => x') => `//@version=6\nlibrary("${name}")\n${text}`;
const save = (id: string, content: string, userId = ANN) =>
  opened.storage.scripts.write(userId, { id, text: { name: id, content }, atMs: 1, precondition: 'none' });

async function publish(content: string, more: Partial<WantedPublication> = {}, userId = ANN): Promise<string> {
  await save('it', content, userId);
  const outcome = await publications.publish(userId, { code: { scriptId: 'it' }, ...more });
  if (outcome.kind === 'published') {
    const { namespace, name, version } = outcome.record;
    return `${outcome.isNew ? 'new' : 'same'} ${namespace}/${name}/${version}`;
  }
  if (outcome.kind !== 'not-compiled') return 'reason' in outcome ? `${outcome.kind}: ${outcome.reason}` : outcome.kind;
  const { outcome: told } = outcome;
  return told.kind === 'compile-failed'
    ? told.diagnostics.map(({ code, line, message, remedy }) => `${code} ${line}: ${message} ${remedy}`).join('\n')
    : told.kind;
}

describe('a library is published', () => {
  test('under its own name, by its owner, as the next version', async () => {
    expect(await publish(library('Tools'))).toBe('new me/Tools/1');
    expect(await publish(library('Tools'))).toBe('same me/Tools/1');
    expect(await publish(`${library('Tools')} + 1`)).toBe('new me/Tools/2');
    expect(await publications.read(ANN, { namespace: 'me', name: 'Tools', version: 2 })).toMatchObject({
      record: { source: `${library('Tools')} + 1`, scriptId: 'it', revision: 3, publishedAtMs: 5, imports: [] },
    });
  });

  test('under the publisher and the version it has elsewhere', async () => {
    expect(await publish(library('ta'), { publisher: 'TradingView', version: 7 })).toBe('new TradingView/ta/7');
    expect(await publish(library('ta', 'export g(int x) => x'), { publisher: 'TradingView', version: 7 })).toBe(
      'taken',
    );
    expect(await publish(library('ta', 'export g(int x) => x'), { publisher: 'TradingView' })).toBe(
      'new TradingView/ta/8',
    );
  });

  test('from an earlier revision of its script', async () => {
    await save('it', library('Tools'));
    await save('it', 'no longer a script');
    const outcome = await publications.publish(ANN, { code: { scriptId: 'it', revision: 1 } });
    expect(outcome).toMatchObject({ kind: 'published', record: { revision: 1 } });
    expect(await publications.publish(ANN, { code: { scriptId: 'it', revision: 9 } })).toEqual({ kind: 'missing' });
  });

  test('with imports of its own, which must be there', async () => {
    const user = library('User', 'import me/Tools/1 as t\nexport g(float x) => t.f(x)');
    expect(await publish(user)).toMatch(/^PE138 3: There is no library me\/Tools\/1\./);
    await publish(library('Tools'));
    expect(await publish(user)).toBe('new me/User/1');
    expect(await publish(user.replace('Tools/1', 'Tools/4'))).toContain('There is me/Tools/1.');
  });

  test('as it comes, without a script', async () => {
    const content = library('Tools');
    const outcome = await publications.publish(ANN, { code: { content } });
    expect(outcome).toMatchObject({ kind: 'published', record: { name: 'Tools', scriptId: null, revision: null } });
    expect(await publish(content)).toBe('same me/Tools/1');
    const long = `${content}\n//${'é'.repeat(131_072)}`;
    expect(await publications.publish(ANN, { code: { content: long } })).toMatchObject({ kind: 'too-large' });
    for (const bad of [`${content}\0`, `${content}// \ud800`])
      expect(await publications.publish(ANN, { code: { content: bad } })).toMatchObject({ kind: 'unpublishable' });
  });

  test('and stays when its script is deleted', async () => {
    await publish(library('Tools'));
    await opened.storage.scripts.remove(ANN, 'it', 'present');
    expect(await publications.read(ANN, { namespace: 'me', name: 'Tools', version: 1 })).toMatchObject({
      kind: 'found',
    });
  });
});

describe('refused is', () => {
  test('code that does not compile, with its findings', async () => {
    expect(await publish(library('Bad', 'export f(float x) => y'))).toMatch(/^PE103 3: y is not declared\./);
    expect(await publish(library('Bad', 'g = close\nexport f(float x) => g'))).toMatch(/^PE137 4: /);
    expect(await publish(library('Bad', 'x = 1'))).toMatch(/^PE150 2: /);
    expect(await publish('library("NoVersion")\nexport f(float x) => x')).toMatch(/^PE/);
  });

  test('a script that is no library', async () => {
    expect(await publish('//@version=6\nindicator("x")\nplot(close)')).toMatch(
      /^unpublishable: .* indicator\(\.\.\.\).* library\("Name"\)/,
    );
  });

  test('a publisher or a version that no import can name', async () => {
    for (const publisher of ['', 'a b', 'a/b', '7up', 'é', '-a', 'a'.repeat(65)])
      expect(await publish(library('Tools'), { publisher }), publisher).toMatch(/^unpublishable: publisher has/);
    for (const version of [0, -1, 1.5, Number.NaN, 1_000_000])
      expect(await publish(library('Tools'), { version }), String(version)).toMatch(/^unpublishable: version is/);
    expect(await publish(library('Tools'), { publisher: 'a'.repeat(64), version: 999_999 })).toMatch(/^new /);
  });

  test('a script that is not there, or another user’s', async () => {
    await save('it', library('Tools'), BOB);
    expect(await publications.publish(ANN, { code: { scriptId: 'it' } })).toEqual({ kind: 'missing' });
    expect(await publications.publish(ANN, { code: { scriptId: '' } })).toEqual({ kind: 'missing' });
    await expect(publications.publish('', { code: { scriptId: 'it' } })).rejects.toThrow('user id');
  });
});

describe('what a script imports', () => {
  const script = (imports: string, use: string) => `//@version=6\nindicator("x")\n${imports}\nplot(${use})`;
  const found = async (source: string, userId = ANN) => {
    const libraries = await publications.sourcesOf(userId, importsOf(source));
    return compile(source, { libraries }).diagnostics.map(
      ({ code, message, remedy }) => `${code} ${message} ${remedy}`,
    );
  };

  test('is found, imports of imports included', async () => {
    await publish(library('Base', 'export f(float x) => x * 2'));
    await publish(library('Middle', 'import me/Base/1 as b\nexport g(float x) => b.f(x)'));
    const source = script('import me/Middle/1 as m', 'm.g(close)');
    expect(await found(source)).toEqual([]);
    expect((await publications.sourcesOf(ANN, importsOf(source))).map(({ name }) => name)).toEqual(['Middle', 'Base']);
    expect((await found(source, BOB))[0]).toMatch(/^PE138 There is no library me\/Middle\/1\. Publish it/);
  });

  test('is named with the versions there are when its own is missing', async () => {
    for (const factor of [1, 2, 3]) await publish(library('Tools', `export f(float x) => x * ${factor}`));
    expect((await found(script('import me/Tools/9 as t', 't.f(1)')))[0]).toContain(
      'There is me/Tools/3, me/Tools/2, me/Tools/1.',
    );
  });

  test('is bounded, however many a library names', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `import me/L${at}/1 as l${at}`).join('\n');
    for (let at = 0; at < 33; at += 1) await publish(library(`L${at}`));
    expect(await found(script(many(32), 'close'))).toEqual([]);
    expect((await found(script(many(33), 'close')))[0]).toMatch(/^PE153 The library me\/L32\/1 is one too many/);
    expect(await publications.sourcesOf(ANN, importsOf(many(5000)))).toHaveLength(33);
  });
});
