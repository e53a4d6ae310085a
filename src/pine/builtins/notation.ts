// The small language the table of built-ins is written in, and its reader.
//
// A block describes one namespace. A declaration starts at the margin, wrapped lines are indented, and a doc line ends it:
//
//   sma(source: series float, length: series int) -> series float | stateful
//     # Mean of the last length values.
//   hl2: series float  # Middle of the bar's range.
//   pi: const float = 3.141592653589793  # Circumference of a circle over its diameter.
//
// Several signatures of one name before a doc line are its overloads, tried in that order. A parameter reads
//
//   name: type (v5 type) in constants = default (v5 default) @v5 {what to write instead}
//
// where everything after the type may be left out: `= default` makes it optional (`{words}` where no expression says
// the default), `in` lists the constants allowed, `@v5` and `@v6` limit it to one version, and `...name` takes any
// number of arguments. A result written `const..` is known as early as the arguments are, `simple..` likewise but not
// before the first bar. Marks after `|`: stateful, global, v5, v6.

import {
  ALL_VERSIONS,
  type ConstantValue,
  type Default,
  type Entry,
  type Overload,
  type Parameter,
  type Result,
  type TableSource,
} from './model.ts';
import { Scanner } from './scanner.ts';
import type { PineType, PineVersion, Shape, TypeVariableName } from './types.ts';

const ONLY: Readonly<Record<string, readonly PineVersion[]>> = { v5: [5], v6: [6] };
const MARKS = ['stateful', 'global', 'v5', 'v6'];
const NOTHING: readonly string[] = [];
const ELASTIC = ['const', 'input', 'simple'] as const;

/** Namespaces whose functions may be called as methods of their first argument. */
const METHOD_NAMESPACES = new Set([
  'array',
  'matrix',
  'map',
  'line',
  'label',
  'box',
  'table',
  'linefill',
  'polyline',
  'chart.point',
  'footprint',
  'volume_row',
]);

/** An entry that is read when it is first asked for: a script uses a few of hundreds. */
export interface UnreadEntry {
  readonly member: string;
  readonly isFunction: boolean;
  read(): Entry;
}

export function splitTable({ namespace, text }: TableSource): UnreadEntry[] {
  const entries: UnreadEntry[] = [];
  let declarations: string[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const hash = line.startsWith('  # ') ? 2 : line.indexOf('  # ');
    const code = hash < 0 ? line : line.slice(0, line.startsWith('  # ') ? 0 : hash);
    if (code.startsWith(' ')) declarations[declarations.length - 1] += `\n${code}`;
    else if (code !== '') declarations.push(code);
    if (hash < 0) continue;
    entries.push(unread(namespace, declarations, line.slice(line.indexOf('# ', hash) + 2)));
    declarations = [];
  }
  if (declarations.length > 0) throw new Error(`built-in table: ${declarations[0]} has no doc line`);
  return entries;
}

export const readTable = (source: TableSource): Entry[] => splitTable(source).map((entry) => entry.read());

function unread(namespace: string, declarations: readonly string[], doc: string): UnreadEntry {
  const first = declarations[0] ?? '';
  const end = first.search(/[^\w]/);
  let known: Entry | undefined;
  return {
    member: first.slice(0, end),
    isFunction: first[end] !== ':',
    read: () => {
      known ??= readEntry(namespace, declarations, doc);
      return known;
    },
  };
}

function readEntry(namespace: string, declarations: readonly string[], doc: string): Entry {
  const scanner = new Scanner(declarations[0] ?? '');
  const member = scanner.word();
  const named = { name: namespace === '' ? member : `${namespace}.${member}`, namespace, member, doc };
  if (scanner.takes(':')) return readValue(scanner, named);
  const overloads = declarations.map((text) => readOverload(text, named));
  const versions = ALL_VERSIONS.filter((version) => overloads.some((o) => o.versions.includes(version)));
  return { kind: 'function', ...named, versions, overloads };
}

type Named = Pick<Entry, 'name' | 'namespace' | 'member' | 'doc'>;

function readValue(scanner: Scanner, named: Named): Entry {
  const type = scanner.type();
  // na is known from the start, but it is no constant of any type.
  if (type.qualifier !== 'const' || type.shape.kind === 'na') {
    return { kind: 'variable', ...named, type, versions: readMarks(scanner).versions };
  }
  const value = scanner.takes('=') ? readLiteral(scanner) : named.member;
  const valueInV5 = inV5(scanner, () => readLiteral(scanner), value);
  return { kind: 'constant', ...named, type, value, valueInV5, versions: readMarks(scanner).versions };
}

function readLiteral(scanner: Scanner): ConstantValue {
  const token = scanner.peek() ?? '';
  scanner.skip();
  if (token.startsWith('"')) return token.slice(1, -1);
  // Opaque: the two digits of transparency are full.
  if (token.startsWith('#')) return Number.parseInt(`${token.slice(1)}FF`, 16);
  if (token === 'true' || token === 'false') return token === 'true';
  return /^-?\d/.test(token) ? Number(token) : scanner.fail('a literal');
}

function readOverload(text: string, named: Named): Overload {
  const scanner = new Scanner(text);
  if (scanner.word() !== named.member)
    throw new Error(`built-in table: ${text} stands among overloads of ${named.name}`);
  const typeArguments: TypeVariableName[] = [];
  if (scanner.takes('<')) {
    do typeArguments.push(scanner.word() as TypeVariableName);
    while (scanner.takes(','));
    scanner.expect('>');
  }
  scanner.expect('(');
  const parameters: Parameter[] = [];
  while (!scanner.takes(')')) {
    if (parameters.length > 0) scanner.expect(',');
    parameters.push(readParameter(scanner));
  }
  scanner.expect('->');
  const result = readResult(scanner);
  const methodOf = methodType(named.namespace, parameters[0]?.type.shape);
  return { typeArguments, parameters, result, ...readMarks(scanner), methodOf };
}

function methodType(namespace: string, first: Shape | undefined): string | null {
  if (first === undefined || !METHOD_NAMESPACES.has(namespace)) return null;
  return (first.kind === 'object' ? first.name : first.kind) === namespace ? namespace : null;
}

function readParameter(scanner: Scanner): Parameter {
  const variadic = scanner.takes('...');
  const name = scanner.word();
  scanner.expect(':');
  const type = scanner.type();
  const next = scanner.peek();
  if (next === ',' || next === ')') return required(name, type, variadic);
  const typeInV5 = inV5(scanner, () => scanner.type(), type);
  const allowed: string[] = [];
  if (scanner.takes('in')) {
    do allowed.push(readAllowed(scanner));
    while (scanner.takes('|'));
  }
  const fallback = scanner.takes('=') ? readDefault(scanner) : null;
  const fallbackInV5 = fallback === null ? null : inV5(scanner, () => readDefault(scanner), fallback);
  const only = scanner.takes('@') ? ONLY[scanner.word()] : ALL_VERSIONS;
  if (only === undefined) scanner.fail('v5 or v6');
  const remedy = scanner.peek()?.startsWith('{') === true ? scanner.braced() : null;
  return { name, type, typeInV5, fallback, fallbackInV5, variadic, allowed, versions: only, remedy };
}

/** The plainest parameter, and the most frequent. */
const required = (name: string, type: PineType, variadic: boolean): Parameter => ({
  name,
  type,
  typeInV5: type,
  fallback: null,
  fallbackInV5: null,
  variadic,
  allowed: NOTHING,
  versions: ALL_VERSIONS,
  remedy: null,
});

function inV5<T>(scanner: Scanner, read: () => T, otherwise: T): T {
  if (!scanner.takesV5()) return otherwise;
  const found = read();
  scanner.expect(')');
  return found;
}

function readAllowed(scanner: Scanner): string {
  const quoted = scanner.peek() ?? '';
  if (!quoted.startsWith('"')) return scanner.word();
  scanner.skip();
  return quoted;
}

function readDefault(scanner: Scanner): Default {
  const text = scanner.peek() ?? '';
  if (text.startsWith('{')) return { text: scanner.braced(), inWords: true };
  if (!/^["#\w-]/.test(text)) scanner.fail('a default');
  scanner.skip();
  return { text, inWords: false };
}

function readResult(scanner: Scanner): Result {
  for (const qualifier of ELASTIC)
    if (scanner.takes(`${qualifier}..`)) return { shape: scanner.shape(), qualifier, fromArguments: true };
  const { qualifier, shape } = scanner.type();
  return { shape, qualifier, fromArguments: false };
}

function readMarks(scanner: Scanner): Pick<Overload, 'versions' | 'stateful' | 'globalOnly'> {
  const marks: string[] = [];
  if (scanner.takes('|')) {
    do marks.push(scanner.word());
    while (scanner.takes(','));
  }
  const unknown = marks.find((mark) => !MARKS.includes(mark));
  if (unknown !== undefined || scanner.peek() !== undefined) scanner.fail('a mark');
  const versions = marks.includes('v5') ? [5 as const] : marks.includes('v6') ? [6 as const] : ALL_VERSIONS;
  return { versions, stateful: marks.includes('stateful'), globalOnly: marks.includes('global') };
}
