// Random well-typed statements: declarations of every mode, structures as statements and as values, bounded loops.

import { callOf, condition, expression, small } from './random-expressions.ts';
import { type Kind, TALLY, TYPE_TEXT, type Writer } from './writer.ts';

/** Blocks inside blocks; deeper ones only take time. */
const DEEPEST_BLOCK = 4;
/** Loops inside loops. */
const DEEPEST_LOOP = 2;

const SCALARS = ['float', 'int', 'bool', 'string'] as const;

export function anyKind(w: Writer): Kind {
  const rare: Kind[] = ['floats', 'object', 'ints', 'map', 'string', ...(w.isV6 ? (['side'] as const) : [])];
  return w.chance(1, 4) ? w.pick(...rare) : w.pick('float', 'int', 'float', 'bool');
}

export function statements(w: Writer, most: number): void {
  const count = 1 + w.below(most);
  for (let i = 0; i < count; i += 1) statement(w);
  if (w.chance(1, 2)) note(w);
}

export function statement(w: Writer): void {
  // The deeper, the simpler: most of a program's lines should be its own, not those of one block.
  const isDeep = w.below(DEEPEST_BLOCK) < w.depth - 1;
  const makes = [declaration, assignment, declaration, assignment, change, tuple, ownStatement, note, note];
  if (!isDeep) makes.push(ifStatement, ifStatement, switchStatement, structureValue, structureValue);
  if (!isDeep && w.isV6) makes.push(onceStatement);
  if (!isDeep && w.loops < DEEPEST_LOOP) makes.push(loopStatement, loopStatement);
  if (w.loops > 0) makes.push(jump);
  makes[w.below(makes.length)]!(w);
}

function declaration(w: Writer): void {
  const kind = anyKind(w);
  const name = w.freshOrHiding();
  const value = expression(w, kind);
  const mode = w.pick('', '', 'var ', w.options.varip ? 'varip ' : 'var ');
  // What may change later says its type, since `x = 1` would be an int for ever.
  const typed = mode !== '' || w.chance(1, 2);
  w.line(`${mode}${typed ? `${TYPE_TEXT[kind]} ` : ''}${name} = ${value}`);
  w.declare({ name, kind, mutable: typed });
}

function assignment(w: Writer): void {
  const found = w.assignable().filter(({ name }) => name !== TALLY);
  if (found.length === 0) {
    declaration(w);
    return;
  }
  const { name, kind } = w.pick(...found);
  const operator =
    kind === 'float'
      ? w.pick(':=', '+=', '-=', '*=', '/=', '%=')
      : kind === 'int'
        ? w.pick(':=', '+=', '-=', '%=')
        : kind === 'string'
          ? w.pick(':=', '+=')
          : ':=';
  // A text that grows by itself would soon be too long.
  const value = kind === 'string' && operator === '+=' ? w.pick('"z"', '"!"') : expression(w, kind, 1);
  w.line(`${name} ${operator} ${value}`);
}

/** Mixes a value of this place into the running tally, so that what a block computes is seen outside of it. */
function note(w: Writer): void {
  const kind = w.pick('float', 'int', 'bool', 'string');
  noteValue(w, kind, expression(w, kind, 1));
}

export function noteValue(w: Writer, kind: Kind, value: string): void {
  const [tally] = w.visible('float').filter(({ name, mutable }) => name === TALLY && mutable);
  if (tally === undefined || !w.assignable().includes(tally)) {
    assignment(w);
    return;
  }
  const number = kind === 'bool' ? `(${value} ? 1 : 2)` : kind === 'string' ? `str.length(${value})` : value;
  w.line(`${TALLY} := (${TALLY} * 3 + math.min(math.max(nz(${number}, 7), -1e6), 1e6)) % 100003`);
}

/** Changes what a collection or an object holds. */
function change(w: Writer): void {
  const [floats, ints, maps, objects] = (['floats', 'ints', 'map', 'object'] as const).map((kind) => w.visible(kind));
  const makes: (() => string)[] = [];
  for (const { name } of floats!)
    makes.push(
      () => `${name}.push(${expression(w, 'float', 1)})`,
      () => `array.unshift(${name}, ${expression(w, 'float', 1)})`,
      () => `${name}.fill(${expression(w, 'float', 1)})`,
      () => `${name}.sort(${w.pick('order.ascending', 'order.descending')})`,
      () => `${name}.reverse()`,
    );
  for (const { name } of ints!)
    makes.push(
      () => `${name}.push(${expression(w, 'int', 1)})`,
      () => `${name}.insert(0, ${expression(w, 'int', 1)})`,
    );
  for (const { name } of maps!)
    makes.push(
      () => `${name}.put(${expression(w, 'string', 1)}, ${expression(w, 'float', 1)})`,
      () => `${name}.remove(${expression(w, 'string', 1)})`,
    );
  for (const { name } of objects!)
    makes.push(
      () => `${name}.x ${w.pick(':=', '+=', '-=', '*=')} ${expression(w, 'float', 1)}`,
      () => `${name}.n ${w.pick(':=', '+=', '%=')} ${expression(w, 'int', 1)}`,
      () => `${name}.on := ${expression(w, 'bool', 1)}`,
      () => `${name}.items.push(${expression(w, 'float', 1)})`,
    );
  if (makes.length === 0) declaration(w);
  else w.line(makes[w.below(makes.length)]!());
}

function tuple(w: Writer): void {
  const own = w.functions.filter(({ results }) => results.length > 1);
  const mayCall = own.length > 0 && !(w.isInFunction && w.loops > 0);
  const [value, kinds]: readonly [string, readonly Kind[]] =
    mayCall && w.chance(2, 3)
      ? tupleCall(w, w.pick(...own))
      : w.pick(
          ['ta.bb(close, 4, 2)', ['float', 'float', 'float']],
          ['ta.macd(close, 2, 4, 3)', ['float', 'float', 'float']],
          ['ta.supertrend(2, 3)', ['float', 'float']],
          ['ta.dmi(3, 3)', ['float', 'float', 'float']],
          ['ta.kc(close, 3, 1.5)', ['float', 'float', 'float']],
        );
  const names: string[] = [];
  for (const kind of kinds) {
    const name = w.chance(1, 6) && names.some((known) => known !== '_') ? '_' : w.fresh();
    names.push(name);
    if (name !== '_') w.declare({ name, kind, mutable: false });
  }
  w.line(`[${names.join(', ')}] = ${value}`);
}

const tupleCall = (w: Writer, made: Writer['functions'][number]) => [callOf(w, made, 1), made.results] as const;

function ownStatement(w: Writer): void {
  const mayCall = w.functions.length > 0 && !(w.isInFunction && w.loops > 0);
  if (mayCall) w.line(callOf(w, w.pick(...w.functions), 1));
  else assignment(w);
}

function jump(w: Writer): void {
  // The nearest int is often the loop's own counter.
  const [nearest] = w.visible('int');
  const isCounted = nearest !== undefined && w.chance(1, 2);
  w.line(`if ${isCounted ? `${nearest.name} ${w.pick('>', '==')} ${w.below(3)}` : condition(w, 2)}`);
  w.inside(() => {
    if (w.chance(1, 2)) statement(w);
    w.line(w.pick('break', 'continue'));
  });
}

function ifStatement(w: Writer): void {
  w.line(`if ${condition(w, 1)}`);
  w.inside(() => statements(w, 3));
  if (w.chance(1, 4)) {
    w.line(`else if ${condition(w, 1)}`);
    w.inside(() => statements(w, 2));
  }
  if (w.chance(1, 2)) {
    w.line('else');
    w.inside(() => statements(w, 2));
  }
}

function onceStatement(w: Writer): void {
  w.line(w.chance(1, 3) ? 'once' : `once ${condition(w, 1)}`);
  w.inside(() => statements(w, 2));
}

function switchStatement(w: Writer): void {
  arms(w, () => statements(w, 2));
}

/** `switch` with or without a subject; `body` writes the block of one arm. */
function arms(w: Writer, body: () => void, head = ''): void {
  const hasSubject = w.chance(1, 2);
  const kind = w.isV6 ? w.pick('int', 'string', 'side') : w.pick('int', 'string');
  w.line(`${head}switch${hasSubject ? ` ${kind === 'int' ? small(w, 1) : expression(w, kind, 1)}` : ''}`);
  w.inside(() => {
    for (let arm = 0; arm < 2; arm += 1) {
      w.line(`${hasSubject ? expression(w, kind, 2) : condition(w, 1)} =>`);
      w.inside(body);
    }
    if (w.chance(2, 3)) {
      w.line('=>');
      w.inside(body);
    }
  });
}

/** A declaration or an assignment whose value is an if, a switch or a loop. */
function structureValue(w: Writer): void {
  const objects = w.visible('object');
  if (objects.length > 0 && w.chance(1, 3)) {
    const { name } = w.pick(...objects);
    const [kind, target] = w.pick(
      ['float', `${name}.x ${w.pick(':=', '+=', '*=')} `],
      ['int', `${name}.n ${w.pick(':=', '+=')} `],
      ['bool', `${name}.on := `],
    ) as [Kind, string];
    structureFor(w, kind, target);
    return;
  }
  const known = w.assignable().filter(({ name, kind }) => kind !== 'map' && kind !== 'object' && name !== TALLY);
  const isNew = known.length === 0 || w.chance(2, 3);
  const { name, kind } = isNew ? { name: w.fresh(), kind: w.pick(...SCALARS) } : w.pick(...known);
  const mode = isNew && w.chance(1, 5) ? 'var ' : '';
  const signs =
    kind === 'float' || kind === 'int' ? [':=', '+=', '-=', '*='] : kind === 'string' ? [':=', '+='] : [':='];
  structureFor(w, kind, isNew ? `${mode}${TYPE_TEXT[kind]} ${name} = ` : `${name} ${w.pick(...signs)} `);
  if (isNew) w.declare({ name, kind, mutable: true });
}

/** The structure itself, behind what it is given to. */
function structureFor(w: Writer, kind: Kind, head: string): void {
  // v5 takes a number for a bool, also that of a whole structure.
  const given = kind === 'bool' && !w.isV6 && w.chance(1, 5) ? 'int' : kind;
  const body = () => {
    if (w.chance(1, 3)) statement(w);
    w.line(expression(w, given, 1));
  };
  const canLoop = w.loops < DEEPEST_LOOP;
  const shape = w.below(canLoop ? 4 : 2);
  if (shape === 0) ifValue(w, head, body);
  else if (shape === 1) arms(w, body, head);
  else
    loop(w, head, () => {
      if (w.chance(1, 2)) jump(w);
      body();
    });
}

function ifValue(w: Writer, head: string, body: () => void): void {
  w.line(`${head}if ${condition(w, 1)}`);
  w.inside(body);
  if (w.chance(1, 5)) {
    w.line(`else if ${condition(w, 1)}`);
    w.inside(body);
  }
  if (w.chance(3, 4)) {
    w.line('else');
    w.inside(body);
  }
}

function loopStatement(w: Writer): void {
  loop(w, '', () => statements(w, 3));
}

/** A loop that ends by itself after a few turns; `body` writes what it does. */
function loop(w: Writer, head: string, body: () => void): void {
  const kind = w.below(4);
  if (kind === 1) whileLoop(w, head, body);
  else if (kind === 2) walk(w, head, body);
  else count(w, head, body);
}

function insideLoop(w: Writer, write: () => void): void {
  w.inside(() => {
    w.loops += 1;
    write();
    w.loops -= 1;
  });
}

/** How far a loop counts is looked at again before every turn, in v6: here the loop itself moves it. */
function countGrowing(w: Writer, array: string, head: string, body: () => void): void {
  const name = w.fresh();
  w.line(`${head}for ${name} = ${w.pick('0', '1', '6')} to math.min(${array}.size(), 5)`);
  insideLoop(w, () => {
    w.declare({ name, kind: 'int', mutable: false });
    w.line(w.pick(`${array}.push(${name})`, `if ${array}.size() > 0`));
    if (w.lines.at(-1)!.includes('if ')) w.inside(() => w.line(w.pick(`${array}.pop()`, `${array}.shift()`)));
    body();
  });
}

function count(w: Writer, head: string, body: () => void): void {
  const arrays = w.visible('floats');
  if (arrays.length > 0 && w.chance(1, 3)) {
    countGrowing(w, w.pick(...arrays).name, head, body);
    return;
  }
  const from = w.pick('0', '1', '3', small(w, 1));
  const to = w.chance(1, 3) ? `math.min(${expression(w, 'int', 2)}, 4)` : w.pick('2', '0', small(w, 1));
  const bounded = to.startsWith('math') ? `math.max(${to}, -3)` : to;
  const step = w.chance(1, 4) ? ` by ${w.pick('2', '1', '3')}` : '';
  const name = w.fresh();
  w.line(`${head}for ${name} = ${from} to ${bounded}${step}`);
  insideLoop(w, () => {
    w.declare({ name, kind: 'int', mutable: false });
    body();
  });
}

function whileLoop(w: Writer, head: string, body: () => void): void {
  const name = w.fresh();
  w.line(`int ${name} = 0`);
  // Not declared as mutable: nothing else may turn it back.
  w.declare({ name, kind: 'int', mutable: false });
  w.line(`${head}while ${name} < ${1 + w.below(4)} and ${expression(w, 'bool', 1)}`);
  insideLoop(w, () => {
    w.line(`${name} += 1`);
    body();
  });
}

/** Over fresh arrays, empty ones, the head of one that lasts, or a map; never one that the body could make endless. */
function walk(w: Writer, head: string, body: () => void): void {
  const kind = w.pick('floats', 'ints', 'map');
  const values = walked(w, kind);
  const name = w.fresh();
  const index = w.chance(1, 2) || kind === 'map' ? `${name}i` : null;
  w.line(`${head}for ${index === null ? name : `[${index}, ${name}]`} in ${values}`);
  insideLoop(w, () => {
    if (index !== null) w.declare({ name: index, kind: kind === 'map' ? 'string' : 'int', mutable: false });
    w.declare({ name, kind: kind === 'ints' ? 'int' : 'float', mutable: false });
    body();
  });
}

function walked(w: Writer, kind: 'floats' | 'ints' | 'map'): string {
  if (kind === 'map') return expression(w, 'map', 1);
  const [lasting] = w.visible(kind);
  const fresh = kind === 'floats' ? 'array.from(1.5, close, open)' : 'array.from(3, bar_index)';
  const ofLasting = lasting && `${lasting.name}.slice(0, math.min(3, ${lasting.name}.size())).copy()`;
  return w.pick(fresh, `${expression(w, kind, 1)}.slice(0, 0)`, ofLasting ?? fresh);
}
