// The rules of the source tree, as functions from files to faults in words: import walls, circles, and the shape of a file.

import { posix } from 'node:path';
import { type ImportFound, scanImports } from './import-scanner.ts';

/** Path below the project's root, with forward slashes, to text. */
export type Tree = ReadonlyMap<string, string>;

/** Path of a file that may be longer than the limit, and the reason. */
export type LongFiles = Readonly<Record<string, string>>;

export const MAX_LINES = 400;
/** Rooms that everybody but the language and the settings may use, and that use nobody. */
const GROUND = ['timing', 'errors', 'builds', 'exchanges'];
/** The table of exchanges: the settings have some for each. */
const KNOWN_TO_SETTINGS = 'src/exchanges/exchange.ts';
const DOMAIN = ['trading', 'wallet', 'agent', 'library', 'keys', 'access', 'market-data'];
const CONFIG = 'src/config';
const COMPOSITION = 'src/composition';
/** Rooms that others enter only through these files. The second door of each loads little: no compiler, no drawing library. */
const DOORS: Readonly<Record<string, { readonly what: string; readonly files: readonly string[] }>> = {
  pine: { what: 'the language is', files: ['src/pine/index.ts', 'src/pine/light.ts'] },
  chart: { what: 'charts are', files: ['src/chart/index.ts', 'src/chart/options.ts'] },
};
/** How scripts are painted, without the library that draws pictures: the dashboard paints with it too. */
const PAINTING = 'src/chart/painting.ts';
const ENV_READERS = ['src/composition/read-config.ts', 'src/config.ts', 'src/main.ts', 'src/cli/host.ts'];

/** The package that draws. Whoever loads it loads machine code, so it has one room. */
const SKIA = '@napi-rs/canvas';

/** Which top folders a file of a top folder may import, besides its own. */
const REACH: Readonly<Record<string, readonly string[]>> = {
  services: [...DOMAIN, ...GROUND, 'pine', 'chart', 'http'],
  adapters: [...DOMAIN, ...GROUND, 'pine', 'chart'],
  cli: [...DOMAIN, ...GROUND, 'pine'],
  ...Object.fromEntries(DOMAIN.map((name) => [name, [...GROUND, 'pine']])),
  library: [...GROUND, 'pine', 'chart'],
  chart: [...GROUND, 'pine'],
  http: GROUND,
  pine: [],
  ...Object.fromEntries(GROUND.map((name) => [name, []])),
};

/**
 * The rooms of src/trading, the uppermost first: each may import the rooms below it. The desk, which puts them together,
 * stands above them all; the other files beside it are the nouns that every room uses, and import no room.
 */
const TRADING_ROOMS = ['replay', 'chat', 'twin', 'protection', 'execution', 'intake', 'notifications', 'books'];
const TRADING_DESK = 'src/trading/trading-desk.ts';

/** The converter of old scripts reads what the language is, and only the language's front door uses it. */
const CONVERTER = {
  room: 'src/pine/convert/',
  reach: ['src/pine/syntax/', 'src/pine/builtins/'],
  user: 'src/pine/index.ts',
};

/** The browser's part: of the server it may use the language, how its scripts are painted, and the types of what services answer. */
const DASHBOARD = 'dashboard/';
/** Its rooms, the uppermost first: each may import the rooms below it. */
const DASHBOARD_ROOMS = ['shell', 'pages', 'chart', 'editor', 'engine', 'server', 'ui'];
const DASHBOARD_START = 'dashboard/main.tsx';

interface Edge extends ImportFound {
  readonly from: string;
  readonly to: string;
}

export function structureFaults(tree: Tree, longFiles: LongFiles = {}): string[] {
  const faults: string[] = [];
  const edges: Edge[] = [];
  for (const [path, source] of tree) {
    const scanned = scanImports(source);
    faults.push(...shapeFaults(path, source, scanned.code, longFiles));
    for (const line of scanned.unreadableLines)
      faults.push(
        `${path}:${line} imports a computed path; write the path as plain text so that the walls can be checked`,
      );
    faults.push(...clockFaults(path, scanned.code, scanned.imports), ...copyFaults(path, scanned.code));
    faults.push(...handedInClockFaults(path, scanned.code), ...purityFaults(path, scanned.imports));
    faults.push(...placeFaults(path), ...leftOutFaults(path, scanned.code));
    for (const found of scanned.imports) {
      if (found.specifier.startsWith('.')) edges.push({ ...found, from: path, to: target(path, found.specifier) });
      else if (found.specifier.startsWith(SKIA) && !path.startsWith('src/chart/'))
        faults.push(`${path}:${found.line} imports ${found.specifier}; only src/chart draws`);
      else if (/^(node:)?process$/.test(found.specifier) && !mayReadEnv(path))
        faults.push(`${path}:${found.line} imports process; settings come from config.ts through main.ts`);
    }
  }
  for (const path of Object.keys(longFiles))
    if (lineCount(tree.get(path) ?? '') <= MAX_LINES)
      faults.push(`${path} is listed as long but is not; remove it from the list`);
  for (const edge of edges) faults.push(...edgeFaults(edge, tree));
  return [...faults, ...circleFaults(edges)];
}

const target = (from: string, specifier: string) => posix.normalize(posix.join(posix.dirname(from), specifier));
const isTest = (path: string) => path.endsWith('.test.ts') || path.includes('/testing/');
const mayReadEnv = (path: string) => ENV_READERS.includes(path) || isTest(path);
const lineCount = (source: string) => source.replace(/\n$/, '').split('\n').length;

/** The first paragraph of line comments, joined to one line: a long sentence may wrap. */
function openingOf(source: string): string {
  const lines = source.replace(/^#!.*\n/, '').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('// '));
  return lines.slice(0, end === -1 ? lines.length : end).join(' ');
}

function shapeFaults(path: string, source: string, code: string, longFiles: LongFiles): string[] {
  const faults: string[] = [];
  if (!/^\/\/ \S.{10,}\.$/.test(openingOf(source)))
    faults.push(`${path} must open with one comment sentence that says what the file is`);
  const lines = lineCount(source);
  if (lines > MAX_LINES && longFiles[path] === undefined)
    faults.push(`${path} has ${lines} lines; split it, or list it with a reason (the limit is ${MAX_LINES})`);
  if (/(?<![\w$.])process\s*(?:\?\.|\.)\s*env\b/.test(code) && !mayReadEnv(path))
    faults.push(`${path} reads process.env; settings come from config.ts through main.ts`);
  return faults;
}

/** What stands once, on the ground floor, and how a copy of it looks. */
const WRITTEN_ONCE: readonly { readonly looks: RegExp; readonly place: string }[] = [
  { looks: /\bPromise\s*\.\s*race\b/, place: 'withTimeout or untilAborted of src/timing/with-timeout.ts' },
  { looks: /\bsetTimeout\s*\(\s*resolve\b/, place: 'wait of src/timing/wait.ts' },
  { looks: /\bimport\s*\{[^}]*\bsetTimeout\b[^}]*\}/, place: 'wait of src/timing/wait.ts' },
  { looks: /(?:Ms|_MS)\s*\*\s*2\s*\*\*/, place: 'backoffMs of src/timing/backoff.ts' },
  { looks: /([\w.#]+)\s*=\s*\1\s*\.then\s*\(/, place: 'SerialQueue of src/timing/serial-queue.ts' },
  { looks: /\?\?\s*Promise\.resolve\(\)\s*\)\s*\.then\s*\(/, place: 'SerialQueues of src/timing/serial-queue.ts' },
  { looks: /\binstanceof\s+Error\s*\?\s*[\w.#]+\.message\s*:/, place: 'errorText of src/errors/error-text.ts' },
];
/** The start is given up some time after a signal, not after a time limit. */
const OWN_RACE = 'src/composition/serve.ts';
/** The language imports nothing, not even the ground floor. */
const MAY_REPEAT = [...GROUND, 'pine'].map((room) => `src/${room}/`);

function copyFaults(path: string, code: string): string[] {
  if (isTest(path) || path === OWN_RACE || MAY_REPEAT.some((room) => path.startsWith(room))) return [];
  return WRITTEN_ONCE.filter(({ looks }) => looks.test(code)).map(
    ({ place }) => `${path} writes again what stands on the ground floor; use ${place}`,
  );
}

/** Clocks that go on whatever a test does. */
const CLOCKS = /(?<![\w$.])(?:performance|monitorEventLoopDelay)\b|\bhrtime\b|\bcpuUsage\b/;
/** A span of time, unless the test has put a clock of its own in the place of the real one. */
const SPANS = /Date\s*\.\s*now\s*\(\s*\)\s*-/;
const OWN_CLOCK = /\buseFakeTimers\b/;
/** The helpers of tests that read a clock. */
const CLOCK_HELPERS = /\/(?:quickest|lived-time|growth)\.ts$/;
/** They run alone, or wait for a disk: see vitest.config.ts. */
const MAY_MEASURE = /\.(?:timing|disk)\.test\.ts$/;

/** A quick test that measures time fails on a machine that has something else to do. */
function clockFaults(path: string, code: string, imports: readonly ImportFound[]): string[] {
  if (!path.endsWith('.test.ts') || MAY_MEASURE.test(path)) return [];
  const readsClock = CLOCKS.test(code) || (SPANS.test(code) && !OWN_CLOCK.test(code));
  if (!readsClock && !imports.some(({ specifier }) => CLOCK_HELPERS.test(specifier))) return [];
  return [
    `${path} measures time; count the work instead, or move the test to a file *.timing.test.ts, which does it by the clock of its thread`,
  ];
}

/** Rooms whose time is in the hands of whoever opens them: what they do must come out the same in a test's time. */
const CLOCK_IS_HANDED_IN = 'src/trading/';
const OWN_TIME =
  /(?<![\w$.])(?:setTimeout|setInterval|performance|foregroundTimers|backgroundTimers)\b|\bglobalThis\s*\.\s*set\w+|\bDate\s*\.\s*now\b|\}\s*=\s*Date\b|\bnew\s+Date\b(?!\s*\(\s*[^\s)])|(?<!new\s+)(?<![\w$.])Date\s*\(|\bhrtime\b/;
/** The code that confirms an order in the chat must not be guessed, so nobody may hand in an easier one. */
const OWN_CODES = 'src/trading/chat/confirmations.ts';
const OWN_CHANCE = /\bMath\s*\.\s*random\b|\brandom(?:UUID|Bytes|Int)\b|\bgetRandomValues\b/;

function handedInClockFaults(path: string, code: string): string[] {
  if (!path.startsWith(CLOCK_IS_HANDED_IN) || isTest(path)) return [];
  const faults: string[] = [];
  const time = OWN_TIME.exec(code);
  if (time !== null)
    faults.push(`${path} uses ${time[0]}; src/trading is handed its clock and timers (nowMs, monotonicMs, timers)`);
  const chance = OWN_CHANCE.exec(code);
  if (chance !== null && path !== OWN_CODES)
    faults.push(`${path} uses ${chance[0]}; src/trading is handed its ids and its randomness`);
  return faults;
}

/** What reaches a disk, a chain or a socket: the domain meets these through ports. */
const OUTSIDE = /^(?:node:(?:fs|sqlite|net|http|https)(?:\/.*)?|viem|hono|ws|ioredis|grammy)(?:\/.*)?$/;

const OWN_TIMERS = /^(?:node:)?timers(?:\/.*)?$/;

function purityFaults(path: string, imports: readonly ImportFound[]): string[] {
  const [, room = ''] = path.split('/');
  if (!DOMAIN.includes(room) || isTest(path)) return [];
  return imports
    .filter(({ specifier }) => OUTSIDE.test(specifier) || (room === 'trading' && OWN_TIMERS.test(specifier)))
    .map(({ specifier, line }) => `${path}:${line} imports ${specifier}; ${room} meets the outside through a port`);
}

/** Seen by its path, so that a file is noticed even if it imports nothing and nobody imports it. */
function placeFaults(path: string): string[] {
  const [, room = ''] = path.split('/');
  if (path === DASHBOARD_START || (path.startsWith(DASHBOARD) && DASHBOARD_ROOMS.includes(room))) return [];
  const isRoot = /^src\/(?:main|config)(?:\.test)?\.ts$/.test(path) || ['config', 'composition'].includes(room);
  if (isRoot || (REACH[room] !== undefined && path.split('/').length > 2)) return [];
  return [`${path}: ${room} has no place in the architecture; move the file or add the folder to the rules`];
}

const LEFT_OUT = /(?<![\w$.])(?:it|test|describe)\s*\.\s*(?:skip|todo|only|fails)\b/;

const leftOutFaults = (path: string, code: string): string[] =>
  isTest(path) && LEFT_OUT.test(code) ? [`${path} leaves a test out; mend the test or delete it`] : [];

function edgeFaults(edge: Edge, tree: Tree): string[] {
  const { from, to, specifier, line } = edge;
  const at = `${from}:${line}`;
  if (from.startsWith(DASHBOARD)) return dashboardFaults(edge, at, tree);
  if (to.startsWith(DASHBOARD)) return [`${at} imports ${to}; nobody imports the dashboard`];
  if (!specifier.endsWith('.ts')) return [`${at} imports ${specifier}; a relative import ends in .ts`];
  // The suites and stand-ins that tests share live in tests/, outside this tree; the compiler knows whether they exist.
  if (isTest(from) && !to.startsWith('src/')) return [];
  if (!tree.has(to)) return [`${at} imports ${specifier}, which does not exist`];
  if (isTest(from)) return [];
  if (isTest(to)) return [`${at} imports ${to}; only tests may import test files`];
  if (to === 'src/main.ts') return [`${at} imports main.ts; nobody does`];
  return isWithin(CONFIG, from) || isWithin(CONFIG, to) ? configFaults(edge, at) : rootFaults(edge, at);
}

function dashboardFaults({ from, to, specifier, kind }: Edge, at: string, tree: Tree): string[] {
  // Styles, and the examples that it shows as text.
  if (/\.css$|^(?:\.\.\/)+examples\/pine\/[\w-]+\.pine\?raw$/.test(specifier)) return [];
  if (!tree.has(to)) return [`${at} imports ${specifier}, which does not exist`];
  if (isTest(from) || from === DASHBOARD_START) return [];
  if (to.startsWith(DASHBOARD)) {
    const [above, below] = [from, to].map((path) => DASHBOARD_ROOMS.indexOf(path.split('/')[1] ?? ''));
    return above! <= below! ? [] : [`${at} imports ${to}; the dashboard’s arrows run from the shell down`];
  }
  if (to.startsWith('src/services/') && kind === 'type') return [];
  if (DOORS.pine?.files.includes(to) || to === PAINTING) return [];
  return [
    `${at} imports ${to}; the dashboard uses src/pine/index.ts, src/pine/light.ts, ${PAINTING} and types of src/services alone`,
  ];
}

const isWithin = (place: string, path: string) => path === `${place}.ts` || path.startsWith(`${place}/`);

/** Settings are read in one place, which knows nothing else. */
function configFaults({ from, to }: Edge, at: string): string[] {
  if (isWithin(CONFIG, from))
    return isWithin(CONFIG, to) || to === KNOWN_TO_SETTINGS
      ? []
      : [`${at} imports ${to}; config.ts imports nothing of ours but the table of exchanges`];
  if (to !== 'src/config.ts') return [`${at} imports ${to}; settings are read through config.ts`];
  const mayKnow = from === 'src/main.ts' || isWithin(COMPOSITION, from);
  return mayKnow ? [] : [`${at} imports config.ts; only main.ts does, others get plain options`];
}

/** The composition is main.ts in rooms: it may import everything, and nobody else imports it. */
function rootFaults(edge: Edge, at: string): string[] {
  if (edge.from === 'src/main.ts' || isWithin(COMPOSITION, edge.from)) return [];
  if (isWithin(COMPOSITION, edge.to)) return [`${at} imports ${edge.to}; only main.ts does`];
  return wallFaults(edge, at);
}

/** Stores are written once, and engines run them; the stores know no engine. */
const STORES = 'adapters/storage/sql';
const ENGINES = ['adapters/storage/sqlite', 'adapters/storage/postgres'];

function wallFaults({ from, to, kind }: Edge, at: string): string[] {
  const [, fromTop = ''] = from.split('/');
  const [, toTop = ''] = to.split('/');
  const reach = REACH[fromTop];
  // Told by its path already.
  if (reach === undefined) return [];
  if (fromTop !== toTop) {
    if (!reach.includes(toTop)) return [`${at} imports ${to}; ${fromTop} must not import ${toTop}`];
    const doors = DOORS[toTop];
    if (doors === undefined || doors.files.includes(to)) return [];
    return [`${at} imports ${to}; ${doors.what} used through ${doors.files.join(' and ')} alone`];
  }
  if (fromTop === 'trading') return tradingFaults(from, to, at);
  if (fromTop === 'pine') return converterFaults(from, to, at);
  if (kind === 'type' || isBelow(apartmentOf(from), apartmentOf(to))) return [];
  if (apartmentOf(to) === STORES && ENGINES.includes(apartmentOf(from))) return [];
  return [`${at} imports ${to}; ${apartmentOf(from)} may import ${apartmentOf(to)} only with "import type"`];
}

/** Inside trading the arrows run one way, for types too: from the desk down to the nouns. */
function tradingFaults(from: string, to: string, at: string): string[] {
  const [fromFloor, toFloor] = [tradingFloor(from), tradingFloor(to)];
  if (fromFloor === undefined || toFloor === undefined)
    return [`${at}: ${fromFloor === undefined ? from : to} stands in no room of src/trading; the rules name them`];
  if (fromFloor <= toFloor) return [];
  return [`${at} imports ${to}; in src/trading the arrows run from the desk down: ${TRADING_ROOMS.join(', ')}, nouns`];
}

/** For types too: an old script is read once, at the door, and the rest of the language knows nothing of it. */
function converterFaults(from: string, to: string, at: string): string[] {
  const { room, reach, user } = CONVERTER;
  const mayReach = [room, ...reach].some((place) => to.startsWith(place));
  if (from.startsWith(room))
    return mayReach ? [] : [`${at} imports ${to}; src/pine/convert imports only syntax and builtins`];
  if (!to.startsWith(room) || from === user) return [];
  return [`${at} imports ${to}; src/pine/convert is used through ${user} alone`];
}

/** The height of a file of src/trading, counted downwards: 0 is the desk. */
function tradingFloor(path: string): number | undefined {
  const [, , room = '', inside] = path.split('/');
  if (inside === undefined) return path === TRADING_DESK ? 0 : TRADING_ROOMS.length + 1;
  const index = TRADING_ROOMS.indexOf(room);
  return index < 0 ? undefined : index + 1;
}

/** The folder inside which files know each other: one service, one adapter, or one whole domain. */
function apartmentOf(path: string): string {
  const folders = path.split('/').slice(1, -1);
  const depth = folders[0] === 'adapters' ? 3 : folders[0] === 'services' ? 2 : 1;
  return folders.slice(0, depth).join('/');
}

const isBelow = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`);

/** One fault per knot, with the way round it. Types count too: a circle of types is a noun in the wrong file. */
function circleFaults(edges: readonly Edge[]): string[] {
  const next = new Map<string, string[]>();
  for (const { from, to, kind } of edges) if (kind !== 'worker') next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const faults: string[] = [];
  const walk = (file: string, trail: readonly string[]): void => {
    const seenAt = trail.indexOf(file);
    if (seenAt >= 0) {
      faults.push(`circle: ${[...trail.slice(seenAt), file].join(' → ')}`);
      return;
    }
    if (done.has(file)) return;
    for (const to of next.get(file) ?? []) walk(to, [...trail, file]);
    done.add(file);
  };
  for (const file of next.keys()) walk(file, []);
  return faults;
}
