// Each function that a statement may call, in PostgreSQL's words: its own where they do the same, those of query*.sql
// where it has none or they do something else, and none for the few that are refused.

import { invalid, notHere } from './unprintable.ts';

/** What stands behind the arguments of a call, printed; empty where there is nothing. */
export interface CallTail {
  readonly distinct: string;
  readonly orderBy: string;
  readonly filter: string;
  readonly over: string;
}

type Print = (args: readonly string[], tail: CallTail) => string;

interface Known {
  readonly least: number;
  readonly most: number;
  readonly kind: 'scalar' | 'aggregate' | 'window';
  readonly print: Print;
}

const text = (arg: string | undefined): string => `query.as_text(${arg})`;
const real = (arg: string | undefined): string => `CAST(${arg} AS double precision)`;
/** Of a condition. */
const whole = (printed: string): string => `CAST(CAST(${printed} AS integer) AS bigint)`;
/** SQLite leaves the part behind the point away, PostgreSQL would round. */
const count = (arg: string | undefined): string => `query.to_integer(${arg})`;
const small = (arg: string | undefined): string => `CAST(${count(arg)} AS integer)`;
const bounded = (printed: string): string => `query.bounded(${printed})`;
const texts = (args: readonly string[]): string => `ARRAY[${args.map(text).join(', ')}]::text[]`;
const json = (arg: string | undefined): string => `coalesce(query.as_json(${arg}), 'null')`;
const called = (name: string, args: readonly string[], { distinct, orderBy, filter, over }: CallTail): string =>
  `${name}(${distinct}${args.join(', ')}${orderBy})${filter}${over}`;

const scalar = (least: number, most: number, print: (...args: string[]) => string): Known => ({
  ...{ least, most, kind: 'scalar' },
  print: (args) => print(...args),
});
const aggregate = (least: number, most: number, print: Print): Known => ({ least, most, kind: 'aggregate', print });
const window = (least: number, most: number, print: (...args: string[]) => string[], name: string): Known => ({
  ...{ least, most, kind: 'window' },
  print: (args, tail) => called(name, print(...args), tail),
});

const ordered = (name: string, share: string | undefined, of: string | undefined, tail: CallTail): string => {
  if (tail.over !== '') throw notHere(`${name} over a window`, 'use it in a GROUP BY');
  return `${name}(${share}) WITHIN GROUP (ORDER BY ${real(of)})${tail.filter}`;
};
const joined: Print = ([value, separator = "','"], tail) =>
  bounded(called('string_agg', [text(value), text(separator)], tail));
const between = (open: string, close: string, items: readonly string[]): string =>
  `('${open}'${items.map((item, index) => `${index === 0 ? '' : " || ','"} || ${item}`).join('')} || '${close}')`;
const pairs = (args: readonly string[]): string[] =>
  args.flatMap((key, index) => (index % 2 === 0 ? [`${json(text(key))} || ':' || ${json(args[index + 1])}`] : []));

const above = (arg: string | undefined): string => `query.within(${real(arg)}, ${ABOVE_ZERO}, ${INFINITE})`;
/** Those that do the same here, of any number that is real. */
const ofReals = (names: string): [string, Known][] =>
  names.split(' ').map((name) => [name, scalar(1, 1, (x) => `${name}(${real(x)})`)]);
/** They have a value of these numbers alone; of others SQLite says NULL. */
const within = (least: string, most: string, names: string): [string, Known][] =>
  names.split(' ').map((name) => [name, scalar(1, 1, (x) => `${name}(query.within(${real(x)}, ${least}, ${most}))`)]);
const times = (names: string): [string, Known][] =>
  names.split(' ').map((name) => [name, scalar(0, 64, (...args) => `query."${name}"(${texts(args)})`)]);
const plain = (names: string): [string, Known][] =>
  names.split(' ').map((name) => [name, window(0, 0, () => [], name)]);

const MANY = 64;
const INFINITE = "'Infinity'";
/** The smallest number there is. */
const ABOVE_ZERO = "'4.9e-324'";

const KNOWN: ReadonlyMap<string, Known> = new Map<string, Known>([
  ['count', aggregate(0, 1, (args, tail) => called('count', args.length === 0 ? ['*'] : args, tail))],
  ['sum', aggregate(1, 1, (args, tail) => `query.whole(${called('sum', args, tail)})`)],
  ['total', aggregate(1, 1, (args, tail) => `coalesce(${real(called('sum', args, tail))}, 0)`)],
  ['avg', aggregate(1, 1, (args, tail) => real(called('avg', args, tail)))],
  ['median', aggregate(1, 1, ([x], tail) => ordered('percentile_cont', '0.5', x, tail))],
  ['percentile', aggregate(2, 2, ([x, p], tail) => ordered('percentile_cont', `${real(p)} / 100`, x, tail))],
  ['percentile_cont', aggregate(2, 2, ([x, p], tail) => ordered('percentile_cont', real(p), x, tail))],
  ['percentile_disc', aggregate(2, 2, ([x, p], tail) => ordered('percentile_disc', real(p), x, tail))],
  ['group_concat', aggregate(1, 2, joined)],
  ['string_agg', aggregate(2, 2, joined)],
  [
    'json_group_array',
    aggregate(1, 1, ([x], tail) =>
      bounded(`('[' || coalesce(${called('string_agg', [json(x), "','"], tail)}, '') || ']')`),
    ),
  ],
  [
    'json_group_object',
    aggregate(2, 2, (args, tail) =>
      bounded(`('{' || coalesce(${called('string_agg', [pairs(args).join(), "','"], tail)}, '') || '}')`),
    ),
  ],
  ...plain('row_number rank dense_rank percent_rank cume_dist'),
  ['ntile', window(1, 1, (n) => [small(n)], 'ntile')],
  ['lag', window(1, 3, (x, n, other) => [x, ...(n ? [small(n)] : []), ...(other ? [other] : [])] as string[], 'lag')],
  ['lead', window(1, 3, (x, n, other) => [x, ...(n ? [small(n)] : []), ...(other ? [other] : [])] as string[], 'lead')],
  ['first_value', window(1, 1, (x) => [x as string], 'first_value')],
  ['last_value', window(1, 1, (x) => [x as string], 'last_value')],
  ['nth_value', window(2, 2, (x, n) => [x as string, small(n)], 'nth_value')],
  ['abs', scalar(1, 1, (x) => `abs(${x})`)],
  ['round', scalar(1, 2, (x, n = '0') => `query.round(${real(x)}, ${count(n)})`)],
  ['ceil', scalar(1, 1, (x) => `query.ceil(${x})`)],
  ['ceiling', scalar(1, 1, (x) => `query.ceil(${x})`)],
  ['floor', scalar(1, 1, (x) => `query.floor(${x})`)],
  ['trunc', scalar(1, 1, (x) => `query.trunc(${x})`)],
  ...ofReals('exp degrees radians sin cos tan atan sinh cosh tanh asinh'),
  ...within('0', INFINITE, 'sqrt'),
  ...within(ABOVE_ZERO, INFINITE, 'ln log10'),
  ...within('1', INFINITE, 'acosh'),
  ...within('-1', '1', 'asin acos atanh'),
  ['sign', scalar(1, 1, (x) => `CAST(sign(${real(x)}) AS bigint)`)],
  ['mod', scalar(2, 2, (x, y) => `query.mod(${real(x)}, ${real(y)})`)],
  ['pow', scalar(2, 2, (x, y) => `query.power(${real(x)}, ${real(y)})`)],
  ['power', scalar(2, 2, (x, y) => `query.power(${real(x)}, ${real(y)})`)],
  ['atan2', scalar(2, 2, (x, y) => `atan2(${real(x)}, ${real(y)})`)],
  ['log', scalar(1, 2, (x, y) => (y === undefined ? `log10(${above(x)})` : `query.log(${real(x)}, ${real(y)})`))],
  ['log2', scalar(1, 1, (x) => `query.log2(${real(x)})`)],
  ['pi', scalar(0, 0, () => 'pi()')],
  ['random', scalar(0, 0, () => 'query.random()')],
  ...times('date time datetime julianday unixepoch'),
  ['strftime', scalar(1, MANY, (format, ...args) => `query.strftime(${text(format)}, ${texts(args)})`)],
  ['lower', scalar(1, 1, (x) => `lower(${text(x)})`)],
  ['upper', scalar(1, 1, (x) => `upper(${text(x)})`)],
  ['length', scalar(1, 1, (x) => `CAST(query.length(${x}) AS bigint)`)],
  ['octet_length', scalar(1, 1, (x) => `CAST(octet_length(${text(x)}) AS bigint)`)],
  ['trim', scalar(1, 2, (x, of = "' '") => `btrim(${text(x)}, ${text(of)})`)],
  ['ltrim', scalar(1, 2, (x, of = "' '") => `ltrim(${text(x)}, ${text(of)})`)],
  ['rtrim', scalar(1, 2, (x, of = "' '") => `rtrim(${text(x)}, ${text(of)})`)],
  ['substr', scalar(2, 3, (x, ...at) => `query.substr(${[text(x), ...at.map(count)].join()})`)],
  ['substring', scalar(2, 3, (x, ...at) => `query.substr(${[text(x), ...at.map(count)].join()})`)],
  ['instr', scalar(2, 2, (x, y) => `CAST(strpos(${text(x)}, ${text(y)}) AS bigint)`)],
  ['replace', scalar(3, 3, (x, y, z) => `query.replace(${text(x)}, ${text(y)}, ${text(z)})`)],
  ['concat', scalar(1, MANY, (...args) => bounded(`(${args.map((x) => `coalesce(${text(x)}, '')`).join(' || ')})`))],
  ['concat_ws', scalar(2, MANY, (...args) => bounded(`concat_ws(${args.map(text).join(', ')})`))],
  ['unicode', scalar(1, 1, (x) => `CAST(nullif(ascii(${text(x)}), 0) AS bigint)`)],
  ['hex', scalar(1, 1, (x) => bounded(`coalesce(query.hex(${x}), '')`))],
  ['like', scalar(2, 3, (...args) => whole(`query."like"(${args.map(text).join(', ')})`))],
  ['glob', scalar(2, 2, (...args) => whole(`query.glob(${args.map(text).join(', ')})`))],
  ['coalesce', scalar(2, MANY, (...args) => `coalesce(${args.join(', ')})`)],
  ['ifnull', scalar(2, 2, (...args) => `coalesce(${args.join(', ')})`)],
  ['nullif', scalar(2, 2, (...args) => `nullif(${args.join(', ')})`)],
  ['typeof', scalar(1, 1, (x) => (x === 'NULL' ? "'null'" : `query.typeof(${x})`))],
  ['json_extract', scalar(2, 2, (x, path) => `query.json_text(${text(x)}, ${text(path)})`)],
  ['->', scalar(2, 2, (x, path) => `query.json_part(${text(x)}, query.json_path(${path}))`)],
  ['->>', scalar(2, 2, (x, path) => `query.json_text(${text(x)}, query.json_path(${path}))`)],
  ['json_type', scalar(1, 2, (x, path = "'$'") => `query.json_type(${text(x)}, ${text(path)})`)],
  ['json_valid', scalar(1, 1, (x) => whole(`query.json_valid(${text(x)})`))],
  ['json_array_length', scalar(1, 2, (x, path = "'$'") => `query.json_array_length(${text(x)}, ${text(path)})`)],
  ['json_array', scalar(0, MANY, (...args) => between('[', ']', args.map(json)))],
  ['json_object', scalar(0, MANY, (...args) => between('{', '}', pairs(args)))],
]);

/** On the list of the first wall, but without a match here; a test knows that there are no others. */
export const NOT_ON_POSTGRES: ReadonlyMap<string, string> = new Map([
  ['timediff', 'subtract two unixepoch()'],
  ['json', 'leave the JSON as it was stored'],
]);

const SCALAR_EXTREMES: ReadonlyMap<string, string> = new Map([
  ['max', 'query.largest'],
  ['min', 'query.smallest'],
]);

export const isPrintable = (name: string): boolean => KNOWN.has(name) || SCALAR_EXTREMES.has(name);

export function printCall(name: string, args: readonly string[], tail: CallTail): string {
  const extreme = SCALAR_EXTREMES.get(name);
  if (extreme !== undefined)
    return args.length > 1
      ? scalarCall(name, `${extreme}(${args.join(', ')})`, tail)
      : called(name, one(name, args), tail);
  const known = KNOWN.get(name);
  if (known === undefined) throw notHere(`function ${name}`, NOT_ON_POSTGRES.get(name) ?? 'choose another');
  if (name === 'json_extract' && args.length > 2)
    throw notHere('json_extract of several paths', 'call it once for each');
  if (args.length < known.least || args.length > known.most) throw wrongCount(name);
  if (name === 'json_object' && args.length % 2 === 1) throw wrongCount(name);
  if (known.kind === 'window' && tail.over === '') throw invalid(`misuse of window function ${name}()`);
  return known.kind === 'scalar' ? scalarCall(name, known.print(args, tail), tail) : known.print(args, tail);
}

const wrongCount = (name: string): Error => invalid(`wrong number of arguments to function ${name}()`);

function one(name: string, args: readonly string[]): readonly string[] {
  if (args.length !== 1) throw wrongCount(name);
  return args;
}

function scalarCall(name: string, printed: string, { distinct, orderBy, filter, over }: CallTail): string {
  if (`${distinct}${orderBy}${filter}${over}` === '') return printed;
  throw invalid(`${name}() may not be used as a window function or an aggregate`);
}
