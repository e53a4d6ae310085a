// A copy of the product in which somebody adds an exchange: it counts the files that had to change for that, type-checks them,
// and takes signals.

import { execFile } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { closeWithFile } from './close-at-end.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const FOURTH = 'fourth';
const WEBHOOK_KEY = `whk_${'k'.repeat(43)}`;
/** An exchange of which the new one is a twin under another name. */
const MODEL = 'bybit';
const ROW = 'src/exchanges/exchange.ts';
const FOLDERS = 'src/composition/venue-folders.ts';

/** Who never says exchange cannot depend on which there are: the compiler reads it and does not check it, which takes most of its time. */
const MAY_DEPEND = /xchange/;

/** Takes one signal of the new exchange as the product does, and prints its answer. */
const TAKE_A_SIGNAL = `
import { build } from './src/composition/build.ts';
import { loadConfig } from './src/config.ts';
import { createLog } from './src/http/log.ts';
const config = loadConfig(process.env, { checkAddressEntry: () => undefined });
const built = await build(config, createLog({ level: 'silent', name: 'try' }), { trade: true });
await built.gateway?.desk.start({ afterCrash: false });
const response = await built.app.request('/webhook', { method: 'POST', body: process.argv[2] }, { peer: '127.0.0.1' });
console.log(await response.text());
await built.tearDown();
process.exit(0);
`;

export class CopyOfTheProduct {
  /** The sources by their path, as they stand in the copy. */
  readonly tree: Map<string, string>;
  readonly #folder = mkdtempSync(join(tmpdir(), 'signalbox-copy-'));
  readonly #original: ReadonlyMap<string, string>;

  constructor() {
    closeWithFile(async () => rmSync(this.#folder, { recursive: true, force: true }));
    const paths = globSync('src/**/*', { cwd: ROOT, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.test\.ts$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length))
      .filter((path) => !path.includes('/testing/'));
    this.#original = new Map(paths.sort().map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
    this.tree = new Map(this.#original);
    for (const path of paths) this.#write(path);
    for (const name of ['package.json', 'tsconfig.json'])
      writeFileSync(join(this.#folder, name), readFileSync(join(ROOT, name)));
    symlinkSync(join(ROOT, 'node_modules'), join(this.#folder, 'node_modules'));
  }

  /** Files that stand in the product and had to change. */
  changed(): readonly string[] {
    return [...this.#original].filter(([path, text]) => this.tree.get(path) !== text).map(([path]) => path);
  }

  /** Files that were not there, by the folder that came, or the file. */
  added(): readonly string[] {
    const known = new Set([...this.#original.keys()].map(dirname));
    const paths = [...this.tree.keys()].filter((path) => !this.#original.has(path));
    return [...new Set(paths.map((path) => (known.has(dirname(path)) ? path : `${dirname(path)}/`)))].sort();
  }

  addRow(): void {
    const title = readFileSync(join(ROOT, `src/exchanges/${MODEL}.ts`), 'utf8');
    this.#add(
      `src/exchanges/${FOURTH}.ts`,
      title.replaceAll(/\bBYBIT\b/g, 'FOURTH').replaceAll(/\bBybit\b/g, 'Fourth'),
    );
    this.#change(ROW, 'import { MEXC }', `import { FOURTH } from './${FOURTH}.ts';\nimport { MEXC }`);
    this.#change(ROW, 'mexc: MEXC }', `mexc: MEXC, ${FOURTH}: FOURTH }`);
  }

  /** Its folders, and where they are loaded. */
  addFolders(): void {
    for (const [path, text] of this.#original) {
      const [, kind, file] = new RegExp(`^src/adapters/([\\w-]+)/${MODEL}/(.+)$`).exec(path) ?? [];
      if (kind === undefined) continue;
      this.#add(`src/adapters/${kind}/${FOURTH}/${file}`, text.replace(`label: '${MODEL}'`, `label: '${FOURTH}'`));
    }
    const entry = new RegExp(`^ {2}${MODEL}: \\{\n.*?^ {2}\\},\n`, 'ms').exec(this.tree.get(FOLDERS) ?? '')?.[0] ?? '';
    this.#change(FOLDERS, entry, entry + entry.replaceAll(MODEL, FOURTH));
  }

  /** Each line in which the compiler finds a fault, without what it says. */
  async faults(): Promise<readonly string[]> {
    const options = { incremental: true, tsBuildInfoFile: 'checked.tsbuildinfo' };
    const config = { extends: './tsconfig.json', compilerOptions: options, include: ['src'] };
    writeFileSync(join(this.#folder, 'try.json'), JSON.stringify(config));
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    try {
      await run(process.execPath, [compiler, '-p', 'try.json', '--pretty', 'false'], { cwd: this.#folder });
      return [];
    } catch (error) {
      const { stdout = '' } = error as { stdout?: string };
      const found = stdout.split('\n').filter((line) => /^\S+\(\d+,\d+\): error/.test(line));
      // Whatever else went wrong is no fault of a line, and must not pass for one.
      if (found.length === 0) throw error;
      return found;
    }
  }

  /** What a gateway of the copy answers to a signal at the new exchange. */
  async takeSignal(settings: Readonly<Record<string, string>> = {}): Promise<unknown> {
    const script = join(this.#folder, 'take-a-signal.ts');
    writeFileSync(script, TAKE_A_SIGNAL);
    const dataDir = mkdtempSync(join(this.#folder, 'data-'));
    const env = { DATA_DIR: dataDir, SERVICES: 'gateway', WEBHOOK_API_KEYS: WEBHOOK_KEY, QUEUE_MODE: 'direct' };
    const body = { exchange: FOURTH, action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
    const { stdout } = await run(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', script, JSON.stringify({ apiKey: WEBHOOK_KEY, ...body })],
      { cwd: this.#folder, env: { ...env, ...settings } },
    );
    return JSON.parse(stdout);
  }

  #add(path: string, text: string): void {
    if (this.tree.has(path)) throw new Error(`${path} is there already; call the new exchange otherwise`);
    this.tree.set(path, text);
    this.#write(path);
  }

  #change(path: string, from: string, to: string): void {
    const before = this.tree.get(path) ?? '';
    if (from === '' || !before.includes(from)) throw new Error(`${path} has no ${from}; say where the new one belongs`);
    this.tree.set(path, before.replace(from, to));
    this.#write(path);
  }

  #write(path: string): void {
    const text = this.tree.get(path) ?? '';
    const place = join(this.#folder, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, /\.ts$/.test(path) && !MAY_DEPEND.test(text) ? `// @ts-nocheck\n${text}` : text);
  }
}
