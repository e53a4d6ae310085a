// The documentation as a test: links lead somewhere, and the settings table is the one in the code.

import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadConfig, settingsMarkdown, settingsTable } from '../src/config.ts';
import { EXCHANGES, settingPrefix } from '../src/exchanges/exchange.ts';
import { referenceMarkdown } from '../src/pine/builtins/reference-markdown.ts';
import { CHECK_CODES } from '../src/pine/check/index.ts';
import { MAX_INSTANCES } from '../src/pine/check/instances.ts';
import { NO_STRATEGY } from '../src/pine/emit/call-strategy.ts';
import { NOT_AVAILABLE } from '../src/pine/emit/refuse.ts';
import { IMPOSSIBLE_REQUEST } from '../src/pine/emit/requests/emit-requests.ts';
import { compile } from '../src/pine/index.ts';
import { LONGEST_HISTORY } from '../src/pine/run/history.ts';
import { MAX_LOOP_TURNS } from '../src/pine/run/limits.ts';
import { MAX_CHARACTERS, MAX_MESSAGES } from '../src/pine/run/recent-messages.ts';
import { NOT_CONVERTED, NOT_MAGNIFIED, NOT_PAID, ODD_TIMEFRAME } from '../src/pine/run/run-warnings.ts';
import { REPAINTS } from '../src/pine/syntax/diagnostic.ts';
import { MAX_NESTING, MAX_SOURCE_LENGTH, SYNTAX_CODES } from '../src/pine/syntax/index.ts';
import { LONGEST_LENGTH } from '../src/pine/ta/length.ts';
import { MAX_ARRAY_SIZE } from '../src/pine/values/arrays/array.ts';
import { MAX_MAP_SIZE } from '../src/pine/values/maps.ts';
import { MAX_MATRIX_CELLS } from '../src/pine/values/matrices/matrix.ts';
import { MAX_STRING_LENGTH } from '../src/pine/values/strings/limit.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOREIGN_FOLDERS = new Set(['node_modules', '.git', 'data']);

/** Every relative link or image of every page that leads to no file, as `page: link`. */
function deadLinks(root: string): string[] {
  const pages = globSync('**/*.md', { cwd: root, exclude: (name) => FOREIGN_FOLDERS.has(name) });
  return pages.sort().flatMap((page) =>
    linksOf(readFileSync(join(root, page), 'utf8'))
      .filter((link) => !existsSync(join(root, dirname(page), decodeURI(link))))
      .map((link) => `${page}: ${link}`),
  );
}

function linksOf(markdown: string): string[] {
  const prose = markdown.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)/g)];
  const references = [...prose.matchAll(/^\s{0,3}\[[^\]]+\]:\s*<?([^\s>]+)/gm)];
  return [...inline, ...references]
    .map((match) => match[1]?.replace(/[#?].*$/, '') ?? '')
    .filter((link) => link !== '' && !/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(link));
}

describe('links', () => {
  it('in every page of the project lead to a file', () => {
    expect(deadLinks(ROOT)).toEqual([]);
  });

  it('that lead nowhere are found, and code, other sites and anchors are left alone', () => {
    const root = mkdtempSync(join(tmpdir(), 'signalbox-docs-'));
    try {
      mkdirSync(join(root, 'node_modules'));
      mkdirSync(join(root, 'docs'));
      writeFileSync(join(root, 'node_modules', 'theirs.md'), '[dead](nowhere.md)');
      writeFileSync(
        join(root, 'here.md'),
        '[a](docs/there.md#part) [b](#part) [c](https://example.com/x.md) `[d](no.md)`',
      );
      writeFileSync(
        join(root, 'docs', 'there.md'),
        '[up](../here.md) ![image](missing.png)\n```\n[code](no.md)\n```\n[ref]: gone.md\n[e](../nowhere.md "title")',
      );
      expect(deadLinks(root)).toEqual([
        'docs/there.md: missing.png',
        'docs/there.md: ../nowhere.md',
        'docs/there.md: gone.md',
      ]);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

/** The names of all fields of a configuration, those of its parts included. */
function namesIn(part: object): string[] {
  return Object.entries(part).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? [name, ...namesIn(value)] : [name],
  );
}

describe('docs/settings.md', () => {
  it('holds exactly the table of the code; after a change of it, run this file with --update', async () => {
    const page = readFileSync(join(ROOT, 'docs/settings.md'), 'utf8');
    const [marked] = /(?<=<!-- settings:begin[^>]*-->\n)[\s\S]*?(?=\n<!-- settings:end -->)/.exec(page) ?? [];
    expect(marked).toMatch(/^\| setting \|/);
    await expect(page.replace(marked as string, settingsMarkdown)).toMatchFileSnapshot('../docs/settings.md');
  });

  const source = (pattern: string, exclude: RegExp): string =>
    globSync(pattern, { cwd: ROOT })
      .filter((path) => !exclude.test(path))
      .map((path) => readFileSync(join(ROOT, path), 'utf8'))
      .join('\n');

  it('lists no setting that nobody reads', () => {
    const ofVenues = readFileSync(join(ROOT, 'src/config/venue-settings.ts'), 'utf8');
    const config = readFileSync(join(ROOT, 'src/config.ts'), 'utf8') + ofVenues;
    // Those of the exchanges are read by the table of exchanges.
    const suffixes = ['MODE', 'API_KEY', 'API_SECRET', 'BASE_URL'];
    const ofExchanges = EXCHANGES.flatMap((exchange) => suffixes.map((name) => `${settingPrefix(exchange)}_${name}`));
    for (const name of suffixes) expect(ofVenues).toContain(`values[\`\${prefix}_${name}\`]`);
    const unread = settingsTable().filter(({ name }) => !new RegExp(`\\bvalues\\.${name}\\b`).test(config));
    expect(unread.map(({ name }) => name)).toEqual(ofExchanges);
  });

  it('has no value in the configuration that no other file uses', () => {
    const users = source('src/**/*.ts', /^src\/config|\.test\.ts$|\/testing\//);
    const config = loadConfig({}, { checkAddressEntry: () => 'is not used here' });
    expect(namesIn(config).filter((name) => !new RegExp(`\\b${name}\\b`).test(users))).toEqual([]);
  });
});

describe('docs/security.md', () => {
  const page = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
  const rows = [...page.matchAll(/^\| \*\*(.*?)\|(.*?)\|(.*?)\|(.*?)\|$/gm)];
  const named = (cell: string): string[] =>
    [...cell.matchAll(/`([^`]+)`/g)]
      .map(([, path = '']) => path)
      .filter((path) => /\/|^Dockerfile$|\.json$/.test(path));

  it('names a wall and a test for every threat, and each of these files exists', () => {
    expect(rows.length).toBeGreaterThan(20);
    for (const [, threat, wall = '', test = ''] of rows) {
      const [walls, tests] = [named(wall), named(test)];
      expect([threat, walls.length > 0, tests.length > 0]).toEqual([threat, true, true]);
      expect([...walls, ...tests].filter((path) => !existsSync(join(ROOT, path)) && path !== '/query')).toEqual([]);
      expect(tests.filter((path) => !/^tests\/|\.test\.ts$/.test(path))).toEqual([]);
    }
  });

  it('knows every threat that was asked about, and how many escapes are tried', () => {
    const asked = ['Key theft', 'Replay', 'SSRF', 'Request smuggling', 'Header injection', 'Prototype pollution'];
    asked.push('Timing', 'ReDoS', 'Script sandbox escape', 'CSRF', 'DNS rebinding', 'Path traversal', 'Log injection');
    asked.push('Supply chain', 'Secret rotation');
    for (const threat of asked) expect(page).toContain(`| **${threat}**`);
    expect(Number(/\((\d+) attempts\)/.exec(page)?.[1])).toBeGreaterThanOrEqual(60);
  });
});

describe('CONTRIBUTING.md', () => {
  it('shows an endpoint as it is in the code', () => {
    const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
    const [, example = ''] = /^```ts\n([\s\S]*?)^```/m.exec(page) ?? [];
    expect(example).toContain('handler');
    expect(readFileSync(join(ROOT, 'src/services/gateway/refusals.ts'), 'utf8')).toContain(example);
  });
});

describe('docs/architecture.md', () => {
  it('names every room of the house, two floors deep', () => {
    const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
    const [, house = ''] = /^## The house\n([\s\S]*?)^`main/m.exec(page) ?? [];
    const rooms = globSync(['src/*/', 'src/*/*/'], { cwd: ROOT })
      .map((path) => path.split(/[\\/]/).filter((part) => part !== ''))
      .filter((parts) => parts.at(-1) !== 'testing' && !parts.at(-1)?.includes('.'));
    expect(rooms.length).toBeGreaterThan(40);
    const unnamed = rooms.filter((parts) => !new RegExp(`\\b${parts.at(-1)}\\b`).test(house));
    expect(unnamed.map((parts) => parts.join('/'))).toEqual([]);
  });

  it('counts no files: such a number is wrong the day after', () => {
    expect(readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')).not.toMatch(/\d+ (source )?files/);
  });
});

describe('docs/glossary.md', () => {
  const page = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8');

  it('explains every word once, and names a place that is there', () => {
    const words = [...page.matchAll(/^\| \*\*([^*]+)\*\* \|/gm)].map((match) => match[1]);
    expect(words.length).toBeGreaterThan(30);
    expect(new Set(words).size).toBe(words.length);
    const places = [...page.matchAll(/^\|.*\| `([a-z][\w./-]*)` \|$/gm)].map((match) => match[1] as string);
    expect(places.length).toBeGreaterThan(30);
    expect(places.filter((place) => !existsSync(join(ROOT, 'src', place)) && !existsSync(join(ROOT, place)))).toEqual(
      [],
    );
  });
});

describe('docs/pine', () => {
  it('reference.md is what the table of built-ins writes; after a change of it, run this file with --update', async () => {
    await expect(referenceMarkdown()).toMatchFileSnapshot('../docs/pine/reference.md');
  });

  it('diagnostics.md explains every code of the compiler once, in their order', () => {
    const page = readFileSync(join(ROOT, 'docs/pine/diagnostics.md'), 'utf8');
    const rows = [...page.matchAll(/^\| (PE\d+) \| [^|]{10,} \| [^|]{5,} \|$/gm)].map((match) => match[1]);
    expect(rows).toEqual([
      ...Object.values(SYNTAX_CODES),
      ...Object.values(CHECK_CODES),
      NOT_AVAILABLE,
      IMPOSSIBLE_REQUEST,
      NO_STRATEGY,
      REPAINTS,
      NOT_CONVERTED,
      NOT_MAGNIFIED,
      NOT_PAID,
      ODD_TIMEFRAME,
    ]);
  });

  it.each([
    ['length of a script', MAX_SOURCE_LENGTH],
    ['blocks, brackets and operators in each other', MAX_NESTING],
    ['bars that `[]` looks back', LONGEST_HISTORY],
    ['turns of all loops together, on one bar', MAX_LOOP_TURNS],
    ['combinations of types the functions of a script are called with', MAX_INSTANCES],
    ['length of a `ta.*` window', LONGEST_LENGTH],
    ['elements of an array', MAX_ARRAY_SIZE],
    ['pairs of a map', MAX_MAP_SIZE],
    ['cells of a matrix', MAX_MATRIX_CELLS],
    ['characters of a string', MAX_STRING_LENGTH],
  ])('language.md has the limit of the code: %s', (what, limit) => {
    const page = readFileSync(join(ROOT, 'docs/pine/language.md'), 'utf8');
    const row = page.split('\n').find((line) => line.startsWith(`| ${what} |`));
    expect(row).toMatch(new RegExp(`\\| ${limit.toLocaleString('en-US')}\\b`));
  });

  it('language.md has the number of messages that are kept', () => {
    const [messages, characters] = [MAX_MESSAGES, MAX_CHARACTERS].map((limit) => limit.toLocaleString('en-US'));
    const page = readFileSync(join(ROOT, 'docs/pine/language.md'), 'utf8');
    expect(page).toContain(`the newest ${messages} are kept, ${characters} characters together`);
  });

  /** Whole scripts of a page: those that say their version. */
  const scriptsIn = (page: string): string[] => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const found = [...text.matchAll(/^```pine\n([\s\S]*?)^```/gm), ...text.matchAll(/<<'PINE'\n([\s\S]*?)^PINE$/gm)];
    return found.map(([, script = '']) => script).filter((script) => script.startsWith('//@version'));
  };
  const WITH_SCRIPTS = globSync('docs/{pine,guides}/*.md', { cwd: ROOT }).filter((page) => scriptsIn(page).length > 0);

  it.each(WITH_SCRIPTS)('the scripts in %s compile', (page) => {
    const scripts = scriptsIn(page);
    // What a page imports, it has published before.
    const source = scripts.find((script) => script.includes('library("Tools")')) ?? null;
    const libraries = [{ namespace: 'me', name: 'Tools', version: 1, source }];
    for (const script of scripts) expect(compile(script, { libraries }).diagnostics, script).toEqual([]);
  });

  it('there are pages with scripts', () => {
    expect(WITH_SCRIPTS).toContain(join('docs', 'pine', 'language.md'));
    expect(WITH_SCRIPTS).toContain(join('docs', 'guides', 'first-strategy.md'));
  });
});

describe('examples', () => {
  it.each(globSync('examples/*.{json,txt}', { cwd: ROOT }))('%s is JSON with a place for the key', (path) => {
    const template: unknown = JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
    expect(template).toMatchObject({ apiKey: 'whk_PUT-YOUR-KEY-HERE', symbol: '{{ticker}}' });
  });

  it('demo.env is accepted without a warning', () => {
    const dotEnvText = readFileSync(join(ROOT, 'examples/demo.env'), 'utf8');
    const config = loadConfig({}, { dotEnvText, checkAddressEntry: () => 'is not used here' });
    expect(config.warnings).toEqual([]);
  });
});
