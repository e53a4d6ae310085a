// Deployed scripts that import libraries: what they were made with is what they run with, whatever is published later.

import { afterEach, describe, expect, test } from 'vitest';
import type { LibrarySource } from '../../pine/index.ts';
import { libraryKey } from '../../pine/light.ts';
import type { LibraryImports } from './ports.ts';
import { createEngineRunner } from './testing/engine-runner.ts';
import { ANN, BOB, openTestSetup, type TestSetup, WANTED } from './testing/open-test-setup.ts';

const CONTENT = `//@version=6
indicator("x")
import me/Words/1 as words
plot(close)
alert(words.said(close), alert.freq_once_per_bar_close)
`;
const library = (name: string, text: string): LibrarySource => ({
  ...{ namespace: 'me', name, version: 1 },
  source: `//@version=6\nlibrary("${name}")\n${text}\n`,
});
const WORDS = library('Words', 'import me/Base/1 as b\nexport said(float x) => b.word() + " " + str.tostring(x)');
const BASE = library('Base', 'export word() => "first"');

/** What is published, as a test changes it. */
let published: LibrarySource[];
let setup: TestSetup;
afterEach(() => setup.close());

const libraries: LibraryImports = {
  sourcesOf: async (userId) => (userId === ANN ? published : []),
};

function open(): void {
  published = [WORDS, BASE, { ...BASE, version: 2, source: null }];
  setup = openTestSetup(1100, { content: CONTENT, newRunner: createEngineRunner, isUnowned: true, libraries });
}

const told = (): string[] => setup.arrived.map(({ event }) => event.message.replace(/ .*/, ''));

describe('a deployment', () => {
  test('runs with what it imports, and says what that was', async () => {
    open();
    const deployment = await setup.deploy();
    expect(deployment.imports).toEqual(['me/Words/1', 'me/Base/1']);
    expect(deployment.digest).toMatch(/^[0-9a-f]{64}$/);
    await setup.closeBar();
    expect(told()).toEqual(['first']);
  });

  test('keeps its libraries through later publications, withdrawals and restarts', async () => {
    open();
    const { id, digest } = await setup.deploy();
    await setup.closeBar();
    published = [{ ...WORDS, source: 'no script' }, library('Base', 'export word() => "second"')];
    await setup.closeBar();
    await setup.crash();
    await setup.closeBar();
    published = [];
    await setup.crash();
    await setup.closeBar();
    expect(told()).toEqual(['first', 'first', 'first', 'first']);
    const found = await setup.store.current(id);
    expect(found?.deployment.digest).toBe(digest);
    expect(found?.libraries).toEqual([WORDS, BASE]);
  });

  test('made later has what is published then, and another digest', async () => {
    open();
    const { digest } = await setup.deploy();
    published = [WORDS, library('Base', 'export word() => "second"')];
    const later = await setup.deploy();
    expect(later.digest).not.toBe(digest);
    expect(later.imports.join()).toBe([WORDS, BASE].map(libraryKey).join());
    await setup.closeBar();
    expect(told().sort()).toEqual(['first', 'second']);
  });

  test('of the same code has the same digest', async () => {
    open();
    expect((await setup.deploy()).digest).toBe((await setup.deploy()).digest);
  });

  test('is refused, with the finding, where a library is missing', async () => {
    open();
    published = [WORDS, { ...BASE, version: 2, source: null }];
    const outcome = await setup.deployments.create(ANN, { ...WANTED, timeframeMs: setup.market.timeframeMs });
    expect(outcome).toMatchObject({ kind: 'trial-failed', outcome: { kind: 'compile-failed' } });
    expect(JSON.stringify(outcome)).toContain('There is no library me/Base/1');
    expect(await setup.deployments.create(BOB, WANTED)).toEqual({ kind: 'missing', what: 'script' });
  });
});
