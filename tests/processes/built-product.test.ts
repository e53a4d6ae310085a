// The product as it is built ahead: what people start after an install, found from its sources, and never used when those changed.

import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { type BuildList, findBuiltProduct, LIST, PRODUCT_FOLDER } from '../../src/builds/built-product.ts';
import { PROJECT, type Stamp } from '../../src/builds/source-stamps.ts';
import { startProcess } from '../support/process.ts';
import { scriptProcessOf } from '../support/script-process-of.ts';

const STARTED = [
  ...['script-process', 'query-process', 'query-thread', 'writer-thread', 'reader-thread', 'checkpoint-thread'],
  ...['thread-start', 'analysis-thread'],
];

const listIn = (folder: URL): BuildList => JSON.parse(readFileSync(new URL(LIST, folder), 'utf8'));

describe('the built product', () => {
  it('is what this project starts after an install', () => {
    expect(findBuiltProduct(), 'npm run build was not run since the sources changed').toEqual(
      new URL('main.js', PRODUCT_FOLDER),
    );
  });

  it('is run in both processes by the command that people start', async () => {
    const running = await startProcess({ env: { LOG_LEVEL: 'error' } });
    const script = await expect
      .poll(() => scriptProcessOf(running))
      .toBeDefined()
      .then(() => scriptProcessOf(running));
    expect(readFileSync(`/proc/${script}/cmdline`, 'utf8')).toContain(
      fileURLToPath(new URL('script-process.js', PRODUCT_FOLDER)),
    );
    expect(await running.stop()).toBe(0);
  });

  it('has a file for every thread and process that a source starts, and knows where each source stood', () => {
    const built = globSync('*.js', { cwd: fileURLToPath(PRODUCT_FOLDER) });
    expect(built).toEqual(expect.arrayContaining(STARTED.map((name) => `${name}.js`)));
    const listed = listIn(PRODUCT_FOLDER).sources.map(([path]) => path);
    expect(listed).toContain('package-lock.json');
    const text = built.map((name) => readFileSync(new URL(name, PRODUCT_FOLDER), 'utf8')).join('\n');
    // No thread or process is started from a source.
    expect(text.match(/new URL\(['"]\.\/[\w-]+\.ts/g)).toBe(null);
    // Wherever the project is moved, it is found again.
    expect(text).not.toContain(PROJECT);
  });
});

describe('a built product is not used', () => {
  let folder: URL;
  beforeEach(() => {
    const copy = mkdtempSync(join(tmpdir(), 'signalbox-product-'));
    cpSync(fileURLToPath(PRODUCT_FOLDER), copy, { recursive: true });
    folder = pathToFileURL(`${copy}/`);
    expect(findBuiltProduct(folder)).toBeDefined();
  });

  const withSources = (change: (sources: readonly Stamp[]) => readonly Stamp[]): URL | undefined => {
    const { sources, files } = listIn(folder);
    writeFileSync(new URL(LIST, folder), JSON.stringify({ sources: change(sources), files }));
    return findBuiltProduct(folder);
  };

  it('when a source is longer', () => {
    expect(
      withSources((sources) => sources.map(([path, bytes, second], i) => [path, bytes + (i === 7 ? 1 : 0), second])),
    ).toBe(undefined);
  });

  it('when a source was written at another second', () => {
    expect(
      withSources((sources) => sources.map(([path, bytes, second], i) => [path, bytes, second - (i === 7 ? 1 : 0)])),
    ).toBe(undefined);
  });

  it('when a source is gone', () => {
    expect(withSources((sources) => [...sources, ['src/gone.ts', 1, 1]])).toBe(undefined);
  });

  it.each(['', 'null', '{}', '[[1]]', '{"sources":[]}'])('when its list is %o', (text) => {
    writeFileSync(new URL(LIST, folder), text);
    expect(findBuiltProduct(folder)).toBe(undefined);
  });

  it('when a file of it is gone', () => {
    rmSync(new URL('script-process.js', folder));
    expect(findBuiltProduct(folder)).toBe(undefined);
  });

  it('when a file of it is cut short', () => {
    truncateSync(new URL('script-process.js', folder), 1000);
    expect(findBuiltProduct(folder)).toBe(undefined);
  });

  it('when it has no list', () => {
    rmSync(new URL(LIST, folder));
    expect(findBuiltProduct(folder)).toBe(undefined);
  });
});
