// Builds the product: its sources and their packages become a few files, one for each process and thread and those they share.

import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { type BuildList, LIST, PRODUCT_FOLDER } from '../src/builds/built-product.ts';
import { PROJECT, stampOf } from '../src/builds/source-stamps.ts';

/** Packages with machine code, that look for files beside their own, or that are large and seldom loaded. */
const AS_INSTALLED = [/^@napi-rs\//, /^pino$/, /^mailauth/, /^ccxt(\/|$)/];
/** A thread or a process is started from a file of its own, which its neighbours name like this. */
const STARTED_FILE = /new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g;
const PACKAGES = 'package-lock.json';

export async function buildProduct(folder: URL = PRODUCT_FOLDER): Promise<void> {
  const target = fileURLToPath(folder).replace(/\/$/, '');
  const draft = `${target}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  try {
    const modules = await bundle(draft);
    const sources = modules.map((file) => relative(PROJECT, file).replaceAll('\\', '/'));
    // Else Node reads each file once more to find out what it is.
    writeFileSync(join(draft, 'package.json'), '{ "type": "module" }');
    const list: BuildList = { sources: [...sources, PACKAGES].map(stampOf), files: filesIn(draft) };
    writeFileSync(join(draft, LIST), JSON.stringify(list));
    exchange(draft, target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** An instance that runs may load a part of it at any moment, so the place is empty for no longer than it takes to rename. */
function exchange(draft: string, target: string): void {
  const before = `${draft}.before`;
  if (existsSync(target)) renameSync(target, before);
  renameSync(draft, target);
  rmSync(before, { recursive: true, force: true });
}

const filesIn = (folder: string): BuildList['files'] =>
  readdirSync(folder).map((name) => [name, statSync(join(folder, name)).size]);

/** The sources of this project that went in. */
async function bundle(folder: string): Promise<readonly string[]> {
  const build = await rolldown({
    input: entriesOf([join(PROJECT, 'src/main.ts'), ...startedFiles()]),
    platform: 'node',
    external: AS_INSTALLED,
    plugins: [namedFromSources(folder)],
    // It is built when somebody installs it: what is wrong is for whoever changes it, not for him.
    onLog(level, { message }) {
      if (level === 'warn') throw new Error(`the product cannot be built cleanly: ${message}`);
    },
  });
  const { output } = await build.write({ dir: folder, format: 'esm', entryFileNames: '[name].js' });
  await build.close();
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  return [...new Set(modules)].filter((id) => id.startsWith(join(PROJECT, 'src/')));
}

function entriesOf(files: readonly string[]): Record<string, string> {
  const entries: Record<string, string> = {};
  for (const file of files) {
    const name = basename(file, '.ts');
    const other = entries[name];
    if (other !== undefined && other !== file)
      throw new Error(`${file} and ${other} would be built as one; rename one`);
    entries[name] = file;
  }
  return entries;
}

function startedFiles(): string[] {
  const sources = globSync('src/**/*.ts', { cwd: PROJECT, exclude: (path) => /\.test\.ts$|\/testing\//.test(path) });
  return sources.flatMap((path) =>
    [...readFileSync(join(PROJECT, path), 'utf8').matchAll(STARTED_FILE)].map(([, name]) =>
      join(PROJECT, dirname(path), `${name}.ts`),
    ),
  );
}

/** Files beside a source are found from where that is, also by what was built of it; started files are built themselves. */
const namedFromSources = (folder: string): Plugin => ({
  name: 'named-from-sources',
  transform(code, id) {
    if (!id.startsWith(PROJECT) || id.includes('node_modules') || !code.includes('import.meta.url')) return undefined;
    const place = JSON.stringify(relative(folder, id).replaceAll('\\', '/'));
    return code
      .split(STARTED_FILE)
      .map((part, i) =>
        i % 2 === 1
          ? `new URL('./${part}.js', import.meta.url)`
          : part.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`),
      )
      .join('');
  },
});
