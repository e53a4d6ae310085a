// Reads the words of a command line into a command, its words and its flags, and helps with misspellings.

import { parseArgs } from 'node:util';
import { UsageFault } from './command.ts';

export interface CommandShape {
  readonly name: string;
  /** Names of everything with two dashes that this command takes. */
  readonly flags: readonly string[];
  /** Those of them that take no value, besides the ones every command knows. */
  readonly switches?: readonly string[];
  /** Those of them that may be given several times. */
  readonly lists?: readonly string[];
}

export interface Parsed {
  readonly command: string | undefined;
  readonly words: readonly string[];
  /** Flags with a value. */
  readonly flags: Readonly<Record<string, string>>;
  /** Flags that may be given several times, each with its values in order. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  /** Flags without a value that were given. */
  readonly switches: ReadonlySet<string>;
  readonly json: boolean;
  readonly help: boolean;
  readonly version: boolean;
}

const SWITCHES = ['json', 'help', 'version'];
const SHORT: Readonly<Record<string, string>> = { help: 'h', version: 'v' };

export function parseCommandLine(argv: readonly string[], commands: readonly CommandShape[]): Parsed {
  const switches = [...new Set([...SWITCHES, ...commands.flatMap((command) => command.switches ?? [])])];
  const known = [...new Set(commands.flatMap(({ flags }) => flags))].filter((name) => !switches.includes(name));
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries([
      ...known.map((name) => [name, { type: 'string' as const }]),
      ...switches.map((name) => [name, { type: 'boolean' as const, ...(SHORT[name] ? { short: SHORT[name] } : {}) }]),
    ]),
  });
  const words = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  const [first] = tokens;
  // A misspelled flag in front would make its value look like the command.
  if (first?.kind === 'option' && !switches.includes(first.name))
    checkFlag(first.rawName, first.name, undefined, known);
  const shape = shapeOf(words[0], commands);
  const seen = new Set<string>();
  const flags: Record<string, string> = {};
  const lists: Record<string, string[]> = {};
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, value } = token;
    const isSwitch = switches.includes(name);
    const isList = shape?.lists?.includes(name) === true;
    if (!isSwitch || shape?.flags.includes(name) === false) checkFlag(token.rawName, name, shape, known);
    if (seen.has(name) && !isList) throw new UsageFault(`--${name} is given twice; give it once.`);
    seen.add(name);
    if (isSwitch && value !== undefined) throw new UsageFault(`--${name} takes no value.`);
    if (isSwitch) continue;
    if (value === undefined || (!token.inlineValue && value !== '-' && value.startsWith('-')))
      throw new UsageFault(`--${name} needs a value; if the value begins with a dash, write --${name}=value.`);
    if (isList) lists[name] = [...(lists[name] ?? []), value];
    else flags[name] = value;
  }
  const [command, ...rest] = words;
  const has = (name: string) => seen.has(name);
  const given = { json: has('json'), help: has('help'), version: has('version') };
  return { command, words: rest, flags, lists, switches: new Set(switches.filter(has)), ...given };
}

function shapeOf(word: string | undefined, commands: readonly CommandShape[]): CommandShape | undefined {
  if (word === undefined) return undefined;
  const shape = commands.find(({ name }) => name === word);
  if (shape !== undefined) return shape;
  throw unknownCommand(word, commands);
}

export function unknownCommand(word: string, commands: readonly CommandShape[]): UsageFault {
  const near = nearest(
    word,
    commands.map(({ name }) => name),
  );
  return new UsageFault(`There is no command "${word}".${near === undefined ? '' : ` Did you mean "${near}"?`}`);
}

function checkFlag(raw: string, name: string, shape: CommandShape | undefined, known: readonly string[]): void {
  const allowed = shape?.flags ?? known;
  if (allowed.includes(name)) return;
  const where = shape === undefined ? 'There is no flag' : `"${shape.name}" has no flag`;
  const near = nearest(name, allowed);
  throw new UsageFault(`${where} ${raw}.${near === undefined ? '' : ` Did you mean --${near}?`}`);
}

/** The candidate with the fewest changed letters, when that is few enough to be a slip. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const text = word.slice(0, 40).toLowerCase();
  const scored = candidates
    .map((name) => ({ name, score: name.startsWith(text) && text !== '' ? 1 : distance(text, name) }))
    .sort((a, b) => a.score - b.score);
  const best = scored[0];
  return best !== undefined && best.score <= Math.max(2, Math.floor(best.name.length / 3)) ? best.name : undefined;
}

/** Letters to insert, delete or replace to turn one word into the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (const [i, char] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries()) {
      const replace = (row[j] ?? 0) + (char === other ? 0 : 1);
      next.push(Math.min(replace, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
