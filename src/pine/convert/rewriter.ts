// What every rule works with: the edits, the names and kinds of the script, the list of changes, and spans that hold their brackets.

import type { Argument, Call, Expression, OldVersion, ParsedWithTokens, Span, Token } from '../syntax/index.ts';
import { Edits } from './edits.ts';
import { Kinds } from './kinds.ts';
import { dottedName, type Names, resolveNames } from './names.ts';
import { OLD_ORDER } from './old-names.ts';

/** changed: it means what it meant. check: a person should look whether it does. */
export type ChangeSeverity = 'changed' | 'check';

export interface FoundChange {
  readonly offset: number;
  readonly what: string;
  readonly why: string;
  readonly severity: ChangeSeverity;
}

/** An argument with the name that its place had. */
export interface NamedArgument {
  readonly name: string;
  readonly argument: Argument;
  readonly isPositional: boolean;
}

export class Rewriter {
  readonly version: OldVersion;
  readonly edits: Edits;
  readonly names: Names;
  readonly kinds: Kinds;
  readonly parsed: ParsedWithTokens;
  readonly changes: FoundChange[] = [];
  /** Functions that the converted script needs, by their name. */
  readonly helpers = new Map<string, string>();
  /** As the script ends its lines. */
  readonly newline: string;
  readonly #dropped = new Map<Call, Set<Argument>>();
  readonly #added = new Map<Call, readonly string[]>();
  readonly #tokens: readonly Token[];
  readonly #places = new Map<number, number>();

  constructor(source: string, parsed: ParsedWithTokens, version: OldVersion) {
    this.version = version;
    this.newline = source.includes('\r\n') ? '\r\n' : '\n';
    this.parsed = parsed;
    this.edits = new Edits(source);
    this.names = resolveNames(parsed.script.statements, version);
    this.kinds = new Kinds(this.names);
    this.#tokens = parsed.lexed.tokens.filter(({ start, end }) => end > start);
    for (const [place, { start }] of this.#tokens.entries()) this.#places.set(start, place);
  }

  changed(at: Span, what: string, why: string): void {
    this.changes.push({ offset: at.start, what, why, severity: 'changed' });
  }

  check(at: Span, what: string, why: string): void {
    this.changes.push({ offset: at.start, what, why, severity: 'check' });
  }

  /** The name of the built-in function that a call is of; empty for functions of the script. */
  builtIn(call: Call): string {
    return this.names.calls.has(call) ? '' : dottedName(call.callee);
  }

  argumentsOf(call: Call): NamedArgument[] {
    const order = OLD_ORDER[this.builtIn(call)] ?? [];
    return call.arguments.map((argument, place) => ({
      name: argument.name?.text ?? order[place] ?? '',
      argument,
      isPositional: argument.name === null,
    }));
  }

  argument(call: Call, name: string): Argument | null {
    return this.argumentsOf(call).find((one) => one.name === name)?.argument ?? null;
  }

  /** The first token that begins at an offset or after it. */
  tokenAfter(offset: number): Token | undefined {
    let low = 0;
    let high = this.#tokens.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#tokens[middle]!.start < offset) low = middle + 1;
      else high = middle;
    }
    return this.#tokens[low];
  }

  /** The span of an expression with those brackets that only stand half in it: the tree does not keep them. */
  whole({ span }: { readonly span: Span }): Span {
    let first = this.#places.get(span.start);
    if (first === undefined) return span;
    let last = first;
    let depth = 0;
    let missing = 0;
    for (let at = first; at < this.#tokens.length && this.#tokens[at]!.end <= span.end; at++) {
      last = at;
      depth += bracket(this.#tokens[at]!);
      missing = Math.min(missing, depth);
    }
    for (let left = -missing; left > 0 && first > 0; first--) if (this.#tokens[first - 1]!.text === '(') left--;
    for (let right = depth - missing; right > 0 && last < this.#tokens.length - 1; last++)
      if (this.#tokens[last + 1]!.text === ')') right--;
    return { start: this.#tokens[first]!.start, end: this.#tokens[last]!.end };
  }

  /** Whether brackets or commas stand on both sides: then nothing around an expression can tear it apart. */
  isEnclosed(expression: Expression): boolean {
    const { start, end } = this.whole(expression);
    const before = this.#tokens[(this.#places.get(start) ?? 0) - 1]?.text ?? '';
    const after = this.tokenAfter(end)?.text ?? '';
    return ['(', ',', '='].includes(before) && [')', ','].includes(after);
  }

  /** Puts text around an expression, with its brackets. */
  wrap(expression: Expression, before: string, after: string): void {
    const { start, end } = this.whole(expression);
    this.edits.before(start, before);
    this.edits.after(end, after);
  }

  /** Leaves an argument out of a call. */
  drop(call: Call, argument: Argument): void {
    const dropped = this.#dropped.get(call) ?? new Set();
    this.#dropped.set(call, dropped.add(argument));
  }

  isDropped(call: Call, argument: Argument): boolean {
    return this.#dropped.get(call)?.has(argument) ?? false;
  }

  /** Adds an argument behind the last. */
  add(call: Call, text: string): void {
    this.#added.set(call, [...(this.#added.get(call) ?? []), text]);
  }

  /** Where the comma after an argument stands. */
  commaAfter(argument: Argument): number {
    for (let token = this.tokenAfter(argument.span.end); token !== undefined; token = this.tokenAfter(token.end))
      if (token.text === ',') return token.start;
    return argument.span.end;
  }

  /** Writes what was dropped and added; once, when all rules have spoken, since commas go with their neighbours. */
  finishArguments(): void {
    for (const call of new Set([...this.#dropped.keys(), ...this.#added.keys()])) {
      const given = call.arguments;
      const isGone = given.map((argument) => this.isDropped(call, argument));
      for (let from = 0; from < given.length; from++) {
        if (!isGone[from]) continue;
        let to = from;
        while (isGone[to + 1]) to++;
        this.#removeArguments(given, from, to);
        from = to;
      }
      const added = (this.#added.get(call) ?? []).join(', ');
      if (added !== '') this.edits.before(call.span.end - 1, isGone.every(Boolean) ? added : `, ${added}`);
    }
  }

  #removeArguments(given: readonly Argument[], from: number, to: number): void {
    const previous = given[from - 1];
    const next = given[to + 1];
    const { start } = given[from]!.span;
    const { end } = given[to]!.span;
    if (previous !== undefined) this.edits.remove({ start: this.commaAfter(previous), end });
    else this.edits.remove({ start, end: next === undefined ? end : next.span.start });
  }
}

const bracket = ({ kind, text }: Token): number => {
  if (kind !== 'operator') return 0;
  return text === '(' || text === '[' ? 1 : text === ')' || text === ']' ? -1 : 0;
};
