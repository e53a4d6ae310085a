// Random well-typed Pine programs as text, so that the whole road from the lexer to the last bar is tested.

import fc from 'fast-check';
import { callOf, condition, expression } from './random-expressions.ts';
import { anyKind, noteValue, statement, statements } from './random-statements.ts';
import { Choices, type Kind, type ProgramOptions, TALLY, TYPE_TEXT, Writer } from './writer.ts';

export interface RandomProgram {
  readonly source: string;
  readonly version: 5 | 6;
}

const MOST_CHOICES = 900;
const FEWEST_CHOICES = 100;
const MOST_FUNCTIONS = 3;
const MOST_ITEMS = 24;
/** Each runs the script again on other bars, and does so in each other. */
const MOST_REQUESTS = 2;

/** `varip` is left out where live and closed bars must agree. A failure is cut down by its lines, not by its seed. */
export function programs(options: { readonly varip: boolean }): fc.Arbitrary<RandomProgram> {
  const seed = fc.noBias(fc.nat({ max: 0x7fffffff }));
  return fc.tuple(fc.constantFrom(6 as const, 5 as const), seed).map(([version, number]) => ({
    version,
    source: writeProgram(number, { version, ...options }),
  }));
}

export function writeProgram(seed: number, options: ProgramOptions): string {
  const choices = FEWEST_CHOICES + (seed % (MOST_CHOICES - FEWEST_CHOICES));
  const w = new Writer(new Choices(seed, choices), options);
  w.line(`//@version=${options.version}`);
  const isStrategy = w.chance(1, 4);
  w.line(isStrategy ? `strategy("fuzz", pyramiding = ${w.below(3)})` : 'indicator("fuzz")');
  writeTypes(w);
  w.line('lengthInput = input.int(3, "Length")');
  writeTally(w);
  writeKept(w);
  let requests = 0;
  for (let item = 0; item < MOST_ITEMS && w.isOpen; item += 1) {
    if (w.functions.length < MOST_FUNCTIONS && w.chance(1, 3)) {
      writeFunction(w);
      useFunction(w);
    } else if (isStrategy && w.chance(1, 3)) writeTrading(w);
    // What a request sees of an account is no business of this test.
    else if (!isStrategy && requests < MOST_REQUESTS && w.chance(1, 6)) {
      requests += 1;
      writeRequest(w);
    } else statement(w);
  }
  writePlots(w);
  return `${w.lines.join('\n')}\n`;
}

function writeTypes(w: Writer): void {
  if (w.isV6) for (const line of ['enum Side', '    up = "Up"', '    down', '    flat = "Flat"']) w.line(line);
  w.line('type Point');
  for (const field of ['float x = 1.5', 'int n', 'bool on = false', 'array<float> items']) w.line(`    ${field}`);
}

function writeTally(w: Writer): void {
  w.line(`${w.pick('var ', '')}float ${TALLY} = 0.0`);
  w.declare({ name: TALLY, kind: 'float', mutable: true });
}

/** Things that last from bar to bar, so that later lines have something to work on. */
function writeKept(w: Writer): void {
  const kept: readonly (readonly [Kind, string])[] = [
    ['float', '1.0'],
    ['floats', 'array.new<float>()'],
    ['object', 'Point.new(close, 2, items = array.from(1.0, 2.0))'],
    ['map', 'map.new<string, float>()'],
    ['int', '0'],
    ['ints', 'array.new<int>(3, 7)'],
    ['bool', 'false'],
    ['string', '"s"'],
  ];
  for (const [kind, value] of kept) {
    if (!w.chance(1, 2)) continue;
    const name = w.fresh();
    w.line(`${w.pick('var ', 'var ', '', w.options.varip ? 'varip ' : '')}${TYPE_TEXT[kind]} ${name} = ${value}`);
    w.declare({ name, kind, mutable: true });
  }
}

/** A value of a longer timeframe, or of the chart's own; what it depends on is worked out there. */
function writeRequest(w: Writer): void {
  const kind = w.pick<Kind>('float', 'int', 'bool', 'string');
  const value = expression(w, kind);
  const frame = w.pick('60', '120', '240', 'D', 'W');
  const more = w.pick('', ', lookahead = barmerge.lookahead_on', ', gaps = barmerge.gaps_on');
  const name = w.fresh();
  w.line(`${TYPE_TEXT[kind]} ${name} = request.security(syminfo.tickerid, "${frame}", ${value}${more})`);
  w.declare({ name, kind, mutable: false });
}

/** An order under a condition, or a variable that holds something of the account. */
function writeTrading(w: Writer): void {
  if (w.chance(1, 3)) {
    const name = w.fresh();
    const fact = w.pick(
      'position_size',
      'equity',
      'openprofit',
      'netprofit',
      'opentrades',
      'closedtrades',
      'position_size[1]',
    );
    w.line(`float ${name} = strategy.${fact}`);
    w.declare({ name, kind: 'float', mutable: false });
    return;
  }
  const price = `close + ${expression(w, 'float', 1)} % 3`;
  const id = w.pick('"A"', '"B"');
  const side = w.pick('strategy.long', 'strategy.short');
  w.line(`if ${condition(w, 1)}`);
  w.inside(() =>
    w.line(
      w.pick(
        `strategy.entry(${id}, ${side})`,
        `strategy.entry(${id}, ${side}, stop = ${price})`,
        `strategy.order(${id}, ${side}, 1 + ${expression(w, 'int', 1)} % 3, limit = ${price})`,
        `strategy.exit("X", ${id}, limit = ${price}, loss = 50)`,
        `strategy.close(${id})`,
        'strategy.close_all()',
      ),
    ),
  );
}

function writeFunction(w: Writer): void {
  const isMethod = w.chance(1, 4);
  const name = `f${w.functions.length}`;
  const results: Kind[] = w.chance(1, 4) ? ['float', w.pick('int', 'bool', 'float')] : [anyKind(w)];
  const parameters: { kind: Kind; simple: boolean; name: string }[] = [];
  w.lines.push('');
  const at = w.lines.length - 1;
  w.insideFunction(() => {
    if (isMethod) parameters.push(parameter(w, 'object', false));
    for (let more = 1 + w.below(3); more > 0; more -= 1) {
      const simple = w.chance(1, 5);
      parameters.push(parameter(w, simple ? 'int' : anyKind(w), simple));
    }
    writeTally(w);
    statements(w, 4);
    const values = results.map((kind) =>
      kind === 'float' ? `${expression(w, kind, 1)} + ${TALLY}` : expression(w, kind, 1),
    );
    w.line(results.length === 1 ? values[0]! : `[${values.join(', ')}]`);
  });
  const list = parameters.map(({ kind, simple, name: own }) => {
    if (simple) return `simple int ${own}`;
    const untyped = !isMethod && (kind === 'float' || kind === 'int') && own.charCodeAt(0) % 2 === 0;
    return untyped ? own : `${TYPE_TEXT[kind]} ${own}`;
  });
  w.lines[at] = `${isMethod ? 'method ' : ''}${name}(${list.join(', ')}) =>`;
  w.functions.push({ name, parameters, results, method: isMethod });
}

/** Calls the newest function from two places at least, one of which is not reached on every bar. */
function useFunction(w: Writer): void {
  const made = w.functions.at(-1)!;
  const [kind] = made.results;
  const call = () => callOf(w, made, 1);
  const isShown = made.results.length === 1 && ['float', 'int', 'bool', 'string'].includes(kind!);
  if (isShown) noteValue(w, kind!, call());
  else w.line(call());
  w.line(`${w.pick('if', 'if', 'for i = 0 to 2')}`);
  const head = w.lines.length - 1;
  if (w.lines[head] === 'if') w.lines[head] = `if ${condition(w, 1)}`;
  w.inside(() => {
    if (isShown) noteValue(w, kind!, call());
    else w.line(call());
  });
}

function parameter(w: Writer, kind: Kind, simple: boolean): { kind: Kind; simple: boolean; name: string } {
  const name = w.freshOrHiding();
  w.declare({ name, kind, mutable: false });
  return { kind, simple, name };
}

/** Shows every global variable, so that no difference stays inside. */
function writePlots(w: Writer): void {
  for (const { name, kind } of w.globals()) w.line(`plot(${shown(name, kind)}, "${name}")`);
  w.line(`plot(${expression(w, 'float')}, "last")`);
  w.line(`plot(${condition(w, 1)} ? 1 : 0, "held")`);
  w.line('plot(close, "close")');
}

function shown(name: string, kind: Kind): string {
  switch (kind) {
    case 'bool':
      return `${name} ? 1 : 0`;
    case 'string':
      return `str.length(${name})`;
    case 'floats':
      return `${name}.sum() + ${name}.size()`;
    case 'ints':
      return `${name}.size()`;
    case 'map':
      return `array.sum(${name}.values()) + ${name}.size()`;
    case 'object':
      return `na(${name}) ? -1 : ${name}.x + nz(${name}.n)`;
    case 'side':
      return `${name} == Side.up ? 1 : ${name} == Side.down ? 2 : 3`;
    default:
      return name;
  }
}
