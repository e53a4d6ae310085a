// What kind of value an expression of an old script has, as far as its text tells: number, bool, color or text, and whether it changes with the bars.

import { findFunction, findValue } from '../builtins/index.ts';
import type { Shape } from '../builtins/types.ts';
import type { Call, Expression, Node } from '../syntax/index.ts';
import { childrenOf } from '../syntax/index.ts';
import { type Declared, dottedName, lastValue, type Names } from './names.ts';
import { newFunctionName, newValueName } from './old-names.ts';

/** `na` fits to everything; of an `unknown` one nothing is changed; `other` are plots, lines, arrays and options. */
export type Kind = 'bool' | 'int' | 'float' | 'color' | 'string' | 'na' | 'unknown' | 'other';

const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', 'and', 'or']);
const ROUNDED: ReadonlySet<string> = new Set(['round', 'floor', 'ceil']);
/** Functions whose value is of the kind of their arguments. */
const LIKE_ARGUMENTS: ReadonlySet<string> = new Set(['max', 'min', 'abs', 'nz', 'fixnan', 'change', 'sum', 'avg']);
/** Functions that compute from bars although their arguments are numbers. */
const TYPE_WORDS: ReadonlySet<string> = new Set(['bool', 'int', 'float', 'color', 'string']);

/** So many variables in a row may each wait for the next, which only happens where they are read above their values. */
const MAX_DEPTH = 100;

export const isNumber = (kind: Kind): boolean => kind === 'int' || kind === 'float';

/** The kind of a value that is one of several. */
export function joined(kinds: readonly Kind[]): Kind {
  let found: Kind = 'na';
  for (const kind of kinds) {
    if (kind === 'na' || kind === found) continue;
    if (found === 'na' || found === 'unknown') found = kind;
    else if (kind === 'unknown') continue;
    else if (isNumber(kind) && isNumber(found)) found = 'float';
    // A bool beside numbers is one of them: 1 or 0.
    else if (isNumber(kind) && found === 'bool') found = kind;
    else if (!(isNumber(found) && kind === 'bool')) return 'other';
  }
  return found;
}

export class Kinds {
  readonly #names: Names;
  readonly #known = new Map<Declared, Kind>();
  readonly #series = new Map<Declared, boolean>();
  /** Functions whose value is being looked at: one may stand in its own way. */
  readonly #open = new Set<Declared>();

  #depth = 0;

  /** Variables are looked at in the order of the text: then each finds those it is made of looked at already. */
  constructor(names: Names) {
    this.#names = names;
    for (const declared of names.declared) this.ofDeclared(declared);
  }

  of(node: Expression): Kind {
    switch (node.kind) {
      case 'int':
      case 'float':
      case 'string':
      case 'color':
      case 'bool':
      case 'na':
        return node.kind;
      case 'identifier': {
        const own = this.#names.of.get(node);
        return own === undefined ? builtInKind(node.name) : this.ofDeclared(own);
      }
      case 'member':
        return builtInKind(dottedName(node));
      case 'history':
        return this.of(node.operand);
      case 'unary':
        return node.operator === 'not' ? 'bool' : asNumber(this.of(node.operand));
      case 'binary':
        if (COMPARISONS.has(node.operator)) return 'bool';
        return arithmetic(this.of(node.left), this.of(node.right));
      case 'conditional':
        return joined([this.of(node.whenTrue), this.of(node.whenFalse)]);
      case 'call':
        return this.#ofCall(node);
      case 'if':
        return joined(
          [...node.branches.map(({ body }) => body), ...(node.otherwise ? [node.otherwise] : [])].map((body) => {
            const value = lastValue(body);
            return value === null ? 'unknown' : this.of(value);
          }),
        );
      default:
        return 'unknown';
    }
  }

  ofDeclared(declared: Declared): Kind {
    const known = this.#known.get(declared);
    if (known !== undefined) return known;
    if (this.#depth >= MAX_DEPTH) return 'unknown';
    this.#depth++;
    // While it is being looked at, a variable that reads itself adds nothing.
    this.#known.set(declared, 'na');
    const kind = this.#ofFresh(declared);
    this.#known.set(declared, kind);
    this.#depth--;
    return kind;
  }

  #ofFresh({ node, kind, assigned, calls, place }: Declared): Kind {
    if (kind === 'counter') return 'int';
    if (kind === 'parameter')
      return joined(
        calls.map(({ arguments: given }) => {
          const value = given[place]?.value;
          return value === undefined ? 'unknown' : this.of(value);
        }),
      );
    if (node?.kind === 'variable') {
      const written = node.type?.path[0]?.text ?? '';
      if (node.type !== null) return isKindWord(written) && node.type.typeArguments.length === 0 ? written : 'other';
      return joined([node.value, ...assigned].map((value) => this.of(value)));
    }
    if (node?.kind === 'tuple-declaration') return this.#ofTuple(node.value, place);
    return 'unknown';
  }

  #ofTuple(value: Expression, place: number): Kind {
    if (value.kind === 'tuple') return value.elements[place] ? this.of(value.elements[place]) : 'unknown';
    if (value.kind !== 'call') return 'unknown';
    const own = this.#names.calls.get(value);
    const last = own?.node?.kind === 'function' ? lastValue(own.node.body) : null;
    if (last?.kind === 'tuple') return last.elements[place] ? this.of(last.elements[place]) : 'unknown';
    const shape = resultShape(dottedName(value.callee));
    const item = shape?.kind === 'tuple' ? shape.items[place]?.shape : undefined;
    return item === undefined ? 'unknown' : ofShape(item);
  }

  #ofCall(call: Call): Kind {
    const own = this.#names.calls.get(call);
    if (own?.node?.kind === 'function') {
      const last = lastValue(own.node.body);
      if (last === null || this.#open.has(own)) return 'unknown';
      this.#open.add(own);
      const kind = this.of(last);
      this.#open.delete(own);
      return kind;
    }
    return this.#ofBuiltIn(
      dottedName(call.callee),
      call.arguments.map(({ value }) => value),
    );
  }

  #ofBuiltIn(name: string, values: readonly Expression[]): Kind {
    const kinds = () => values.map((value) => this.of(value));
    if (name === 'iff') return joined(kinds().slice(1));
    if (name === 'offset') return values[0] ? this.of(values[0]) : 'unknown';
    if (name === 'valuewhen') return values[1] ? this.of(values[1]) : 'unknown';
    if (name === 'security') return values[2] ? this.of(values[2]) : 'unknown';
    if (name === 'input') return this.#ofInput(values);
    if (ROUNDED.has(name)) return values.length > 1 ? 'float' : 'int';
    if (name === 'avg') return 'float';
    if (LIKE_ARGUMENTS.has(name)) {
      const kind = joined(name === 'change' || name === 'sum' ? kinds().slice(0, 1) : kinds());
      return kind === 'bool' && name !== 'nz' && name !== 'fixnan' && name !== 'change' ? 'int' : kind;
    }
    const shape = resultShape(name);
    return shape === null ? 'unknown' : ofShape(shape);
  }

  #ofInput(values: readonly Expression[]): Kind {
    for (const value of values) {
      if (value.kind !== 'identifier' && value.kind !== 'member') continue;
      const word = dottedName(value).replace(/^input\./, '');
      if (word === 'integer') return 'int';
      if (word === 'float' || word === 'source') return 'float';
      if (word === 'bool') return 'bool';
      if (['string', 'resolution', 'symbol', 'session'].includes(word)) return 'string';
    }
    return joined(values.slice(0, 1).map((value) => this.of(value)));
  }

  /** Whether the value may change from bar to bar. */
  isSeries(node: Node): boolean {
    if (node.kind === 'identifier') {
      const own = this.#names.of.get(node);
      if (own === undefined) return findValue(newValueName(node.name) ?? node.name)?.type.qualifier === 'series';
      return this.#isSeriesVariable(own);
    }
    if (node.kind === 'call') {
      const name = dottedName(node.callee);
      if (name === 'input') return false;
      if (findFunction(newFunctionName(name) ?? name)?.overloads.some(({ stateful }) => stateful)) return true;
    }
    if (node.kind === 'history') return true;
    return childrenOf(node).some((child) => this.isSeries(child));
  }

  #isSeriesVariable(declared: Declared): boolean {
    const known = this.#series.get(declared);
    if (known !== undefined) return known;
    if (this.#depth >= MAX_DEPTH) return true;
    this.#depth++;
    this.#series.set(declared, false);
    const { node, assigned, kind, calls, place } = declared;
    const value = node?.kind === 'variable' || node?.kind === 'tuple-declaration' ? node.value : null;
    const given = kind === 'parameter' ? calls.map((call) => call.arguments[place]?.value) : [];
    const found =
      assigned.length > 0 || [value, ...given].some((one) => one !== null && one !== undefined && this.isSeries(one));
    this.#series.set(declared, found);
    this.#depth--;
    return found;
  }
}

const isKindWord = (word: string): word is 'bool' | 'int' | 'float' | 'color' | 'string' => TYPE_WORDS.has(word);

const asNumber = (kind: Kind): Kind => (kind === 'bool' ? 'int' : kind);

function arithmetic(left: Kind, right: Kind): Kind {
  if (left === 'string' || right === 'string') return 'string';
  return joined([asNumber(left), asNumber(right)]);
}

function builtInKind(name: string): Kind {
  const value = findValue(newValueName(name) ?? name);
  return value === null ? 'unknown' : ofShape(value.type.shape);
}

/** Of all overloads together, since which one is meant the arguments decide. */
function resultShape(name: string): Shape | null {
  const found = findFunction(newFunctionName(name) ?? name);
  return found?.overloads[0]?.result.shape ?? null;
}

function ofShape(shape: Shape): Kind {
  if (shape.kind === 'scalar') return shape.name;
  if (shape.kind === 'na') return 'na';
  return shape.kind === 'variable' || shape.kind === 'union' ? 'unknown' : 'other';
}
