// The architecture as a test: import walls, no circles, and the shape every source file has.

import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { unawaitedCalls } from './support/awaited-calls.ts';
import { exchangeNameFaults, type MayName } from './support/exchange-names.ts';
import { scanImports } from './support/import-scanner.ts';
import { longFunctions, MAX_FUNCTION_LINES } from './support/long-functions.ts';
import { type LongFiles, MAX_LINES, structureFaults } from './support/structure-rules.ts';

/** Files that may be longer than the limit, each with its reason. */
const LONG_FILES: LongFiles = {};

/** Files beside the rows and folders of the exchanges that name one of them, each with its reason. */
const MAY_NAME_EXCHANGES: MayName = {
  'src/composition/venue-folders.ts': 'loads the folders of each; the compiler misses one that has none',
  'src/cli/commands/keys.ts': 'an example in its usage',
  'dashboard/pages/accounts/add-account.tsx': 'what the form begins with; the choice is the server’s',
  'dashboard/pages/alerts/template-panel.tsx': 'what the form begins with; the choice is the server’s',
  'dashboard/pages/deployments/target.ts': 'what the form begins with; the choice is the server’s',
  'dashboard/pages/signals/test-signal.tsx': 'an example that is sent',
};

/** Functions that still run over a screen. The list only shrinks: whoever splits one takes it out. */
const STILL_LONG = new Set<string>([]);

const ROOT = fileURLToPath(new URL('..', import.meta.url));

function sourceTree(wanted = ['src/**/*.ts', 'dashboard/**/*.{ts,tsx}']): Map<string, string> {
  const paths = globSync(wanted, { cwd: ROOT }).map((path) => path.replaceAll('\\', '/'));
  return new Map(paths.sort().map((path) => [path, readFileSync(`${ROOT}/${path}`, 'utf8')]));
}

/** A made-up tree whose files all open properly, so that only the fault under test shows. */
function faultsIn(files: Record<string, string>, longFiles?: LongFiles): string[] {
  const tree = new Map(
    Object.entries(files).map(([path, code]) => [path, `// A file made up for this test.\n${code}\n`]),
  );
  return structureFaults(tree, longFiles);
}

const EMPTY = 'export const x = 1;';

describe('our source tree', () => {
  it('is read whole', () => {
    expect(sourceTree().has('src/config.ts')).toBe(true);
  });

  it('keeps every rule', () => {
    expect(structureFaults(sourceTree(), LONG_FILES)).toEqual([]);
  });
});

describe('stylesheets', () => {
  /** Classes that a rule styles by themselves, not within another one. */
  const ownClasses = (css: string): readonly string[] =>
    [...css.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/([^{}]+)\{/g)]
      .flatMap(([, selectors = '']) => selectors.split(','))
      .flatMap((selector) => /^\.([\w-]+)(?:::?[\w-]+|\[[^\]]*\])*$/.exec(selector.trim())?.[1] ?? []);

  it('each has classes of its own: pages come when they are wanted, and one that styled the class of another would change it then', () => {
    const homes = new Map<string, Set<string>>();
    for (const path of globSync('dashboard/**/*.css', { cwd: ROOT }))
      for (const name of ownClasses(readFileSync(`${ROOT}/${path}`, 'utf8')))
        homes.set(name, (homes.get(name) ?? new Set()).add(path));
    expect(homes.size).toBeGreaterThan(100);
    expect([...homes].filter(([, paths]) => paths.size > 1)).toEqual([]);
  });
});

describe('what the owner changes is awaited', () => {
  const inAFile = (code: string) => unawaitedCalls(new Map([['src/x.ts', code]]));

  it('everywhere, in tests too', () => {
    const tree = sourceTree(['src/**/*.ts', 'tests/*/*.ts', 'bench/**/*.ts']);
    expect(unawaitedCalls(tree)).toEqual([]);
  });

  it.each([
    'controls.set(1);',
    'if (a) this.#parts.controls.set(1); else b();',
    'const f = () => { gateway?.controls.set(1); };',
    'try { a(); } catch { controls.set(1); }',
  ])('so that %s is a fault', (code) => {
    expect(inAFile(code)).toEqual(['src/x.ts:1 does not await controls.set']);
  });

  it('also where a catch would not see it fail', () => {
    const code = 'async function f() {\n  try {\n    return controls.set(1);\n  } catch {}\n}';
    expect(inAFile(code)).toEqual(['src/x.ts:3 returns controls.set out of a try; await it there']);
  });

  it.each([
    'await controls.set(1);',
    'void controls.set(1);',
    'controls.set(1).catch(told);',
    'const f = () => controls.set(1);',
    'async function f() { try { return await controls.set(1); } catch {} }',
    'async function f() { try { a(); } finally { b(); } return controls.set(1); }',
    'controls.watch(a);',
  ])('and %s is none', (code) => {
    expect(inAFile(code)).toEqual([]);
  });
});

describe('an exchange', () => {
  const inAFile = (code: string, path = 'src/trading/a.ts') => exchangeNameFaults(new Map([[path, code]]), {});

  it('is named by its row and its folders, so that another one is a row and its folders', () => {
    expect(exchangeNameFaults(sourceTree(), MAY_NAME_EXCHANGES)).toEqual([]);
  });

  it.each([
    `const quiet = new Set(['mexc']);`,
    `if (title === 'Bybit') f();`,
    'const fees = { binance: 1 };',
    'const feeds = { async binance() {} };',
    'const fee = fees.binance;',
    `const flags = { exchange: 'binance, bybit or mexc' };`,
    'const words = `the venues binance,bybit`;',
  ])('so that %s is a fault', (code) => {
    expect(inAFile(code)).toEqual([
      'src/trading/a.ts:1 names an exchange; take it from EXCHANGE_ROWS, or give it a field of ExchangeRow',
    ]);
    for (const path of ['src/exchanges/kraken.ts', 'src/adapters/venues/bybit/a.ts', 'src/trading/a.test.ts'])
      expect(inAFile(code, path)).toEqual([]);
  });

  it.each([
    `const endpoint = { bodyExample: { exchange: 'binance' } };`,
    `const hint = 'write it like binance:main';`,
    '// as binance does',
  ])('and %s is none', (code) => {
    expect(inAFile(code)).toEqual([]);
  });

  it('and the list of those who may must be true', () => {
    expect(exchangeNameFaults(new Map([['src/trading/a.ts', EMPTY]]), { 'src/trading/a.ts': 'a reason' })).toEqual([
      'src/trading/a.ts is listed and names no exchange; take it out of the list',
    ]);
  });
});

describe('functions fit a screen', () => {
  const ofLines = (lines: number) => `export function long() {\n${'\n'.repeat(lines - 2)}}`;

  it('in every room, but for those that are listed, and the list must be true', () => {
    const found = [...longFunctions(sourceTree()).keys()];
    expect(
      found.filter((name) => !STILL_LONG.has(name)),
      `longer than ${MAX_FUNCTION_LINES} lines; split them`,
    ).toEqual([]);
    expect(
      [...STILL_LONG].filter((name) => !found.includes(name)),
      'fit a screen now; take them out of the list',
    ).toEqual([]);
  });

  it.each([
    ['a function', ofLines(71), 'http long'],
    ['an arrow', `const long = () => {${'\n'.repeat(70)}};`, 'http long'],
    ['a method', `class A {\n  #long() {${'\n'.repeat(70)}}\n}`, 'http long'],
    ['a function in an object', `const a = { long: async () => {${'\n'.repeat(70)}} };`, 'http long'],
    ['one behind letters of several bytes', `const a = '→→→→→';\n${ofLines(71)}`, 'http long'],
  ])('and %s that does not is found', (_, code, name) => {
    expect([...longFunctions(new Map([['src/http/a.ts', code]])).keys()]).toEqual([name]);
  });

  it('and what just fits, a long class of short methods, and a test, are left alone', () => {
    const shortMethods = `class A {\n${Array.from({ length: 50 }, (_, n) => `  m${n}() {\n  }`).join('\n')}\n}`;
    const tree = new Map([
      ['src/http/a.ts', ofLines(MAX_FUNCTION_LINES)],
      ['src/http/b.ts', shortMethods],
      ['src/http/a.test.ts', ofLines(200)],
    ]);
    expect(longFunctions(tree).size).toBe(0);
  });
});

describe('the walls', () => {
  it.each([
    ['src/services/gateway/webhook.ts', 'src/adapters/storage/sqlite/journal.ts', 'services must not import adapters'],
    ['src/adapters/storage/sqlite/journal.ts', 'src/services/gateway/webhook.ts', 'adapters must not import services'],
    ['src/adapters/storage/sqlite/journal.ts', 'src/http/app.ts', 'adapters must not import http'],
    ['src/cli/index.ts', 'src/services/gateway/webhook.ts', 'cli must not import services'],
    ['src/cli/index.ts', 'src/adapters/venues/paper/venue.ts', 'cli must not import adapters'],
    ['src/trading/execute.ts', 'src/keys/webhook-keys.ts', 'trading must not import keys'],
    ['src/trading/execute.ts', 'src/http/app.ts', 'trading must not import http'],
    ['src/access/access.ts', 'src/keys/webhook-keys.ts', 'access must not import keys'],
    ['src/access/access.ts', 'src/http/app.ts', 'access must not import http'],
    ['src/trading/execute.ts', 'src/adapters/venues/paper/venue.ts', 'trading must not import adapters'],
    ['src/http/app.ts', 'src/trading/execute.ts', 'http must not import trading'],
    ['src/pine/lexer.ts', 'src/market-data/bar.ts', 'pine must not import market-data'],
    [
      'src/cli/index.ts',
      'src/pine/run/bars.ts',
      'the language is used through src/pine/index.ts and src/pine/light.ts alone',
    ],
    ['src/trading/execute.ts', 'src/chart/index.ts', 'trading must not import chart'],
    ['src/cli/index.ts', 'src/chart/options.ts', 'cli must not import chart'],
    ['src/chart/bars.ts', 'src/library/script.ts', 'chart must not import library'],
    ['src/chart/bars.ts', 'src/pine/run/bars.ts', 'the language is used through'],
    [
      'src/services/analysis/schemas.ts',
      'src/chart/theme.ts',
      'charts are used through src/chart/index.ts and src/chart/options.ts alone',
    ],
    ['src/timing/wait.ts', 'src/trading/execute.ts', 'timing must not import trading'],
    ['src/timing/wait.ts', 'src/errors/error-text.ts', 'timing must not import errors'],
    ['src/errors/error-text.ts', 'src/http/app.ts', 'errors must not import http'],
    ['src/pine/lexer.ts', 'src/timing/wait.ts', 'pine must not import timing'],
    ['src/pine/convert/a.ts', 'src/pine/check/b.ts', 'src/pine/convert imports only syntax and builtins'],
    ['src/pine/convert/a.ts', 'src/pine/index.ts', 'src/pine/convert imports only syntax and builtins'],
    ['src/pine/check/a.ts', 'src/pine/convert/b.ts', 'src/pine/convert is used through src/pine/index.ts alone'],
    ['src/trading/execute.ts', 'src/main.ts', 'imports main.ts; nobody does'],
    ['src/services/gateway/webhook.ts', 'src/config.ts', 'imports config.ts; only main.ts does'],
    ['src/config.ts', 'src/http/app.ts', 'config.ts imports nothing of ours'],
    ['src/config/readers.ts', 'src/trading/signal.ts', 'config.ts imports nothing of ours'],
    ['src/main.ts', 'src/config/settings.ts', 'settings are read through config.ts'],
    ['src/services/gateway/webhook.ts', 'src/composition/gateway.ts', 'only main.ts does'],
    ['src/trading/books/a.ts', 'src/trading/intake/b.ts', 'the arrows run from the desk down'],
    ['src/trading/intake/mail/a.ts', 'src/trading/execution/b.ts', 'the arrows run from the desk down'],
    ['src/trading/notifications/a.ts', 'src/trading/chat/b.ts', 'the arrows run from the desk down'],
    ['src/trading/signal.ts', 'src/trading/books/b.ts', 'the arrows run from the desk down'],
    ['src/trading/execution/a.ts', 'src/trading/trading-desk.ts', 'the arrows run from the desk down'],
    ['dashboard/ui/a.ts', 'dashboard/shell/b.ts', 'the dashboard’s arrows run from the shell down'],
    ['dashboard/pages/a.ts', 'src/trading/signal.ts', 'the dashboard uses src/pine/index.ts'],
    ['dashboard/pages/a.ts', 'src/pine/run/bars.ts', 'the dashboard uses src/pine/index.ts'],
    ['dashboard/chart/a.ts', 'src/chart/index.ts', 'the dashboard uses src/pine/index.ts'],
    ['src/http/app.ts', 'dashboard/ui/a.ts', 'nobody imports the dashboard'],
    ['src/trading/attic/a.ts', 'src/trading/signal.ts', 'src/trading/attic/a.ts stands in no room of src/trading'],
  ])('%s may not import %s, not even a type', (from, to, fault) => {
    const specifier = posix.relative(posix.dirname(from), to);
    const relative = specifier.startsWith('.') ? specifier : `./${specifier}`;
    for (const statement of [`import { x } from '${relative}';`, `import type { x } from '${relative}';`]) {
      const faults = faultsIn({ [from]: statement, [to]: EMPTY });
      expect(faults).toHaveLength(1);
      expect(faults[0]).toContain(`${from}:2 `.trim());
      expect(faults[0]).toContain(fault);
    }
  });

  it.each([
    'setTimeout(x, 1);',
    'setInterval(x, 1);',
    'const now = Date.now();',
    'const now = performance.now();',
    'const today = new Date();',
    'const today = new Date;',
    'const today = Date();',
    'const { now } = Date;',
    'globalThis.setTimeout(x, 1);',
    'const begun = process.hrtime.bigint();',
    `import { backgroundTimers } from '../../timing/timers.ts';`,
  ])('keep a clock of its own out of trading: %s', (code) => {
    const timing = { 'src/timing/timers.ts': EMPTY };
    expect(faultsIn({ ...timing, 'src/trading/execution/a.ts': code })[0]).toContain('is handed its clock');
    for (const path of ['src/composition/a.ts', 'src/trading/testing/a.ts', 'src/trading/execution/a.timing.test.ts'])
      expect(faultsIn({ [path]: code.replace(/import.*/, '') })).toEqual([]);
    expect(
      faultsIn({ 'src/trading/a.ts': 'timers.after(1, x); const day = new Date(nowMs); setImmediate(x);' }),
    ).toEqual([]);
  });

  it.each(['const n = Math.random();', `import { randomUUID } from 'node:crypto';`, 'crypto.getRandomValues(x);'])(
    'keep chance of its own out of trading: %s',
    (code) => {
      expect(faultsIn({ 'src/trading/execution/a.ts': code })[0]).toContain('is handed its ids and its randomness');
      expect(faultsIn({ 'src/composition/a.ts': code })).toEqual([]);
    },
  );

  it.each(['node:fs', 'node:fs/promises', 'node:sqlite', 'viem', 'viem/chains', 'hono', 'ws'])(
    'keep %s out of the domain',
    (name) => {
      const code = `import { x } from '${name}';`;
      expect(faultsIn({ 'src/trading/a.ts': code })[0]).toContain('trading meets the outside through a port');
      expect(faultsIn({ 'src/wallet/a.ts': code })[0]).toContain('wallet meets the outside through a port');
      expect(faultsIn({ 'src/access/a.ts': code })[0]).toContain('access meets the outside through a port');
      for (const path of ['src/adapters/storage/sqlite/a.ts', 'src/wallet/a.test.ts'])
        expect(faultsIn({ [path]: code })).toEqual([]);
    },
  );

  it('keep timers of its own out of trading', () => {
    const code = `import { setImmediate } from 'node:timers/promises';`;
    expect(faultsIn({ 'src/trading/a.ts': code })[0]).toContain('trading meets the outside through a port');
    expect(faultsIn({ 'src/market-data/a.ts': code })).toEqual([]);
  });

  it.each(['src/utils.ts', 'src/utils/text.ts'])('notice %s, even if it imports nothing', (path) => {
    expect(faultsIn({ [path]: EMPTY })[0]).toContain('has no place in the architecture');
  });

  it.each(['it.skip(x);', `test.todo('x');`, 'describe.only(x);'])('let no test be left out: %s', (code) => {
    expect(faultsIn({ 'src/http/a.test.ts': code })[0]).toContain('leaves a test out');
  });

  it('leave the drawing library to the room of the charts', () => {
    const code = `import { createCanvas } from '@napi-rs/canvas';`;
    expect(faultsIn({ 'src/chart/a.ts': code })).toEqual([]);
    expect(faultsIn({ 'src/adapters/scripts/a.ts': code })[0]).toContain('only src/chart draws');
  });

  it('let through what the architecture allows', () => {
    const faults = faultsIn({
      'src/main.ts': `import './config.ts';\nimport './composition/build.ts';\nimport './services/gateway/a.ts';\nimport './adapters/storage/sqlite/a.ts';\nimport './cli/a.ts';`,
      'src/config.ts': `import './config/readers.ts';`,
      'src/config/readers.ts': EMPTY,
      'src/composition/build.ts': `import '../config.ts';\nimport '../services/gateway/a.ts';\nimport '../adapters/storage/sqlite/a.ts';`,
      'src/services/gateway/a.ts': `import '../../http/a.ts';\nimport '../../trading/a.ts';\nimport '../../chart/options.ts';\nimport './b.ts';`,
      'src/services/gateway/b.ts': EMPTY,
      'src/adapters/storage/sqlite/a.ts': `import '../../../keys/a.ts';\nimport '../rows.ts';\nimport './sql/b.ts';`,
      'src/adapters/storage/sqlite/sql/b.ts': EMPTY,
      'src/adapters/storage/rows.ts': EMPTY,
      'src/cli/a.ts': `import '../trading/a.ts';\nimport '../errors/a.ts';`,
      'src/trading/a.ts': `import '../pine/index.ts';\nimport '../timing/a.ts';`,
      'src/trading/trading-desk.ts': `import './protection/a.ts';\nimport './a.ts';`,
      'src/trading/protection/a.ts': `import '../execution/a.ts';\nimport './b.ts';`,
      'src/trading/protection/b.ts': `import '../books/a.ts';`,
      'src/trading/execution/a.ts': `import '../intake/mail/a.ts';\nimport '../books/a.ts';`,
      'src/trading/intake/mail/a.ts': `import '../../books/a.ts';`,
      'src/trading/books/a.ts': `import '../a.ts';`,
      'src/library/a.ts': `import '../chart/index.ts';`,
      'src/chart/index.ts': `import '../pine/index.ts';\nimport './options.ts';`,
      'src/chart/options.ts': EMPTY,
      'src/keys/a.ts': EMPTY,
      'src/http/a.ts': `import '../timing/a.ts';`,
      'src/timing/a.ts': EMPTY,
      'src/errors/a.ts': EMPTY,
      'src/pine/index.ts': EMPTY,
    });
    expect(faults).toEqual([]);
  });

  it('lets engines run the stores, which know no engine', () => {
    const stores = 'src/adapters/storage/sql/trading/a.ts';
    for (const engine of ['sqlite', 'postgres']) {
      const file = `src/adapters/storage/${engine}/a.ts`;
      expect(faultsIn({ [file]: `import '../sql/trading/a.ts';`, [stores]: EMPTY })).toEqual([]);
      expect(faultsIn({ [stores]: `import '../../${engine}/a.ts';`, [file]: EMPTY })).not.toEqual([]);
    }
    const redis = 'src/adapters/storage/redis/a.ts';
    expect(faultsIn({ [redis]: `import '../sql/trading/a.ts';`, [stores]: EMPTY })).not.toEqual([]);
  });

  it.each([
    ['src/adapters/storage/sqlite/ledger.ts', '../../venues/paper/ledger.ts', 'src/adapters/venues/paper/ledger.ts'],
    ['src/services/analysis/run.ts', '../gateway/schemas.ts', 'src/services/gateway/schemas.ts'],
  ])('%s may import a neighbour only with import type', (from, specifier, to) => {
    expect(faultsIn({ [from]: `import type { x } from '${specifier}';`, [to]: EMPTY })).toEqual([]);
    for (const statement of [
      `import { x } from '${specifier}';`,
      `import { type x } from '${specifier}';`,
      `export * from '${specifier}';`,
      `await import('${specifier}');`,
      `new Worker(new URL('${specifier}', import.meta.url));`,
    ])
      expect(faultsIn({ [from]: statement, [to]: EMPTY }).join()).toContain('only with "import type"');
  });

  it('do not bind tests, but nobody else may lean on a test file', () => {
    const files = {
      'src/http/a.test.ts': `import '../trading/testing/fake.ts';`,
      'src/trading/testing/fake.ts': EMPTY,
    };
    expect(faultsIn(files)).toEqual([]);
    expect(faultsIn({ ...files, 'src/trading/a.ts': `import './testing/fake.ts';` })[0]).toContain('only tests may');
  });
});

describe('circles', () => {
  it('are reported with the way round, also when they are made of types', () => {
    const faults = faultsIn({
      'src/trading/a.ts': `import './b.ts';`,
      'src/trading/b.ts': `import type { C } from './c.ts';`,
      'src/trading/c.ts': `export { x } from './a.ts';`,
    });
    expect(faults).toEqual(['circle: src/trading/a.ts → src/trading/b.ts → src/trading/c.ts → src/trading/a.ts']);
  });

  it('include a file that imports itself', () => {
    expect(faultsIn({ 'src/trading/a.ts': `import './a.ts';` })).toEqual([
      'circle: src/trading/a.ts → src/trading/a.ts',
    ]);
  });

  it('are not seen where two ways lead to one file', () => {
    const files = {
      'src/pine/a.ts': `import './b.ts';\nimport './c.ts';`,
      'src/pine/b.ts': `import './c.ts';`,
      'src/pine/c.ts': EMPTY,
    };
    expect(faultsIn(files)).toEqual([]);
  });
});

describe('the shape of a file', () => {
  it('asks relative imports for .ts and for a target', () => {
    expect(faultsIn({ 'src/pine/a.ts': `import './b';` })[0]).toContain('ends in .ts');
    expect(faultsIn({ 'src/pine/a.ts': `import './b.js';` })[0]).toContain('ends in .ts');
    expect(faultsIn({ 'src/pine/a.ts': `import './b.ts';` })[0]).toContain('does not exist');
  });

  it('asks for paths that can be read', () => {
    expect(faultsIn({ 'src/pine/a.ts': 'await import(name);' })[0]).toContain(
      'src/pine/a.ts:2 imports a computed path',
    );
  });

  it.each(['const x = 1;', '// Short.', '// A sentence without its end', '/* Another kind of comment. */', ''])(
    'asks for an opening sentence, not %j',
    (opening) => {
      expect(structureFaults(new Map([['src/pine/a.ts', `${opening}\n`]]))).toHaveLength(1);
    },
  );

  it('lets the opening sentence wrap', () => {
    const source = '// A sentence that goes on\n// in the next line.\n//\n// | a | table\nconst x = 1;\n';
    expect(structureFaults(new Map([['src/pine/a.ts', source]]))).toEqual([]);
  });

  it('limits the length, unless the file is listed, and the list must be true', () => {
    const ofLines = (count: number) => ({
      'src/pine/a.ts': Array(count - 1)
        .fill(EMPTY)
        .join('\n'),
    });
    expect(faultsIn(ofLines(MAX_LINES))).toEqual([]);
    expect(faultsIn(ofLines(MAX_LINES + 1))).toHaveLength(1);
    expect(faultsIn(ofLines(MAX_LINES + 1), { 'src/pine/a.ts': 'a table' })).toEqual([]);
    expect(faultsIn(ofLines(MAX_LINES), { 'src/pine/a.ts': 'a table' })[0]).toContain('listed as long but is not');
  });

  it.each(['const a = process.env.A;', 'const { A } = process . env;', `import { env } from 'node:process';`])(
    'lets only the composition root see the environment: %s',
    (code) => {
      expect(faultsIn({ 'src/http/a.ts': code })).toHaveLength(1);
      for (const path of ['src/config.ts', 'src/main.ts', 'src/cli/host.ts', 'src/http/a.test.ts'])
        expect(faultsIn({ [path]: code })).toEqual([]);
    },
  );

  it.each([
    'expect(performance.now() - startedMs).toBeLessThan(2000);',
    'expect(Date.now() - startedMs).toBeLessThan(2000);',
    'const begun = process.hrtime.bigint();',
    'const delay = monitorEventLoopDelay();',
    `import { quickestMs } from '../../tests/support/quickest.ts';`,
    `import { growthOf } from '../../tests/support/growth.ts';`,
    `import { timed } from '../../tests/support/lived-time.ts';`,
  ])('lets no quick test measure time: %s', (code) => {
    expect(faultsIn({ 'src/http/a.test.ts': code })[0]).toContain('measures time');
    expect(faultsIn({ 'src/http/a.thorough.test.ts': code })[0]).toContain('measures time');
    for (const path of ['src/http/a.timing.test.ts', 'src/http/a.disk.test.ts'])
      expect(faultsIn({ [path]: code })).toEqual([]);
    const own = 'vi.useFakeTimers(); expect(Date.now() - startMs).toBe(5); open({ nowMs: Date.now });';
    expect(faultsIn({ 'src/http/a.test.ts': `${own} // ${code}` })).toEqual([]);
  });

  it.each([
    ['const first = await Promise.race([work, limit]);', 'withTimeout'],
    ['await new Promise((resolve) => setTimeout(resolve, 10));', 'wait of'],
    [`import { setTimeout as sleep } from 'node:timers/promises';`, 'wait of'],
    ['const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS);', 'backoffMs'],
    ['this.#last = this.#last.then(work);', 'SerialQueue of'],
    ['const result = (lines.get(name) ?? Promise.resolve()).then(work);', 'SerialQueues of'],
    ['const text = fault instanceof Error ? fault.message : String(fault);', 'errorText'],
  ])('notices another copy of what stands on the ground floor: %s', (code, place) => {
    expect(faultsIn({ 'src/http/a.ts': code })[0]).toContain(`use ${place}`);
    for (const path of ['src/timing/a.ts', 'src/errors/a.ts', 'src/http/a.test.ts'])
      expect(faultsIn({ [path]: code })).toEqual([]);
  });

  it('is not fooled by words in comments and strings', () => {
    expect(faultsIn({ 'src/http/a.ts': `const a = 'process.env'; // process.env is not ours` })).toEqual([]);
  });
});

describe('the scanner', () => {
  const found = (source: string) => scanImports(source).imports.map(({ specifier, kind }) => `${kind} ${specifier}`);

  it.each([
    [`import a from './a.ts';`, ['value ./a.ts']],
    [`import a, { b } from "./a.ts"`, ['value ./a.ts']],
    [`import * as a from './a.ts';`, ['value ./a.ts']],
    [`import a, * as b from './a.ts';`, ['value ./a.ts']],
    [`import{a}from'./a.ts';`, ['value ./a.ts']],
    [`import './a.ts';import './b.ts';`, ['value ./a.ts', 'value ./b.ts']],
    [`import {\n  a,\n  type B,\n} from './a.ts';`, ['value ./a.ts']],
    [`import type { A } from './a.ts';`, ['type ./a.ts']],
    [`import type A from './a.ts';`, ['type ./a.ts']],
    [`import type from './a.ts';`, ['value ./a.ts']],
    [`import data from './a.json' with { type: 'json' };`, ['value ./a.json']],
    [`export { a } from './a.ts';`, ['value ./a.ts']],
    [`export type { A } from './a.ts';`, ['type ./a.ts']],
    [`export * from './a.ts';`, ['value ./a.ts']],
    [`export * as a from './a.ts';`, ['value ./a.ts']],
    [`const a = await import( './a.ts' );`, ['value ./a.ts']],
    [`let a: import('./a.ts').A;`, ['value ./a.ts']],
    [`const a = \`\${await import("./a.ts")} import "./b.ts"\`;`, ['value ./a.ts']],
    [`const a = \`\${\`\${1}\`} \`; import "./a.ts";`, ['value ./a.ts']],
    [`const a = \`\${{ b: {} }}\`; import "./a.ts";`, ['value ./a.ts']],
    [`const r = /['"\`]/; import './a.ts';`, ['value ./a.ts']],
    [`const r = x.replace(/[/'"]/g, ''); import './a.ts';`, ['value ./a.ts']],
    [`const n = a / b; const s = "'"; const m = c / d; import './a.ts';`, ['value ./a.ts']],
    [`return /'/.test(a); import './a.ts';`, ['value ./a.ts']],
    [`// import './a.ts';\n/* import './b.ts'; */`, []],
    [`const s = "import './a.ts'"; const t = 'it\\'s import "./b.ts"';`, []],
    [`export const from = './a.ts'; export default './b.ts';`, []],
    [`reimport('./a.ts'); a.import('./b.ts');`, []],
    [`new URL('./a.ts', import.meta.url)`, ['worker ./a.ts']],
    [`new URL('./migrations/', import.meta.url)`, []],
  ])('reads %j', (source, expected) => expect(found(source)).toEqual(expected));

  it('keeps lines while it blanks', () => {
    const source = `// one\nconst a = \`two\n\${'three'}\n\`; /* four\n five */ import './a.ts';`;
    const { code, imports } = scanImports(source);
    expect(code).toHaveLength(source.length);
    expect(imports[0]?.line).toBe(5);
  });
});
