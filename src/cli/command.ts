// A command of the command line: words in, one call of a route out, and how to show what came back. Local commands call
// no route; they do their work in this process.

import type {
  AccessHost,
  AccountHost,
  BackupHost,
  CliHost,
  Connection,
  KeyHost,
  Method,
  MigrateHost,
  ReplayHost,
  ScriptHost,
} from './host.ts';
import type { Paint } from './paint.ts';
import type { Fields } from './table.ts';

/** A wrong command line: told with the remedy, exit code 2. */
export class UsageFault extends Error {}

export interface Args {
  /** The words behind the command's name. */
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, string>>;
  /** Flags that may be given several times, each with its values in order. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  /** Flags without a value that were given. */
  readonly switches: ReadonlySet<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface RouteCall {
  readonly method: Method;
  readonly path: string;
  readonly body?: object;
  /** What must be answered with yes before the call is made. */
  readonly question?: string;
  /** The answer for a person; the body is the whole answer of the route, `running` whether an instance gave it. */
  show(body: Fields, paint: Paint, nowMs: number, running: boolean): string;
  /** False where the route answered well but there was nothing to do: the text goes to standard error, and the command ends with 1. */
  isDone?(body: Fields): boolean;
}

/** What a command says of itself. */
export interface Described {
  readonly name: string;
  readonly summary: string;
  /** What may follow the name, one line per form. */
  readonly usage: readonly string[];
  /** Flags besides those every command has, each with what it means; all of them take a value. */
  readonly flags: Readonly<Record<string, string>>;
  /** The same for flags that may be given several times. */
  readonly lists?: Readonly<Record<string, string>>;
  /** The same for flags without a value. */
  readonly switches?: Readonly<Record<string, string>>;
}

export interface Command extends Described {
  /** Most command lines call a route; some of a command's call several, or do their work in this process. */
  plan(args: Args): RouteCall | RouteCalls | LocalCall;
}

/** Several calls of routes, one after the other. */
export interface RouteCalls {
  /** Gives the exit code. `isJson`: the outcome is to be printed as JSON and nothing else. */
  callAll(connection: Connection, io: LocalIo, isJson: boolean): Promise<number>;
}

export interface LocalCall {
  /** Gives the exit code. */
  run(io: LocalIo): Promise<number>;
}

/** What a local command may use. */
export interface LocalIo
  extends ScriptHost,
    KeyHost,
    AccountHost,
    AccessHost,
    ReplayHost,
    BackupHost,
    MigrateHost,
    Pick<CliHost, 'wallet' | 'askSecrets' | 'readLines' | 'out' | 'pour' | 'err' | 'version'> {
  /** Reaches the instance that the command line names. */
  reach(): Promise<Connection>;
  /** Colours for what goes to standard output, and for what goes to standard error. */
  readonly paint: Paint;
  readonly errPaint: Paint;
}

export interface LocalCommand extends Described {
  /** Gives the exit code. */
  local(args: Args, io: LocalIo): Promise<number>;
}

/** Added to the answer of a change that was stored while no instance runs. */
export const STORED_ONLY = { takesEffect: 'at the next start' } as const;
export const STORED_ONLY_WORDS = `Signalbox is not running: this takes effect ${STORED_ONLY.takesEffect}.`;

/** Picks the one word that must be there, and refuses a second one. */
export function onlyWord(words: readonly string[], what: string): string {
  const [word, extra] = words;
  if (word === undefined) throw new UsageFault(`${what[0]?.toUpperCase()}${what.slice(1)} is missing.`);
  if (extra !== undefined)
    throw new UsageFault(`"${extra}" is one word too many; put ${what} in quotes if it has blanks.`);
  return word;
}

export function noWords(words: readonly string[]): void {
  if (words[0] !== undefined) throw new UsageFault(`"${words[0]}" is one word too many.`);
}

export function oneOf(value: string, choices: readonly string[], what: string): string {
  if (choices.includes(value)) return value;
  throw new UsageFault(`${what} "${value}" is not known; use one of ${choices.join(', ')}.`);
}

/** A number as people write it; exponents, signs and commas are refused before they can be misread. */
export function plainNumber(text: string, flag: string): number {
  if (/^\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text);
  throw new UsageFault(`--${flag} ${text} is no plain number; write it like 0.01 or 68000.`);
}

export function wholeNumber(text: string, flag: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageFault(`--${flag} ${text} is no whole number; write it like 10.`);
}

export const commaList = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** The given flags as a query, `?limit=5&symbol=…`, or nothing. */
export function queryOf(flags: Readonly<Record<string, string>>, names: readonly string[]): string {
  const query = new URLSearchParams();
  for (const name of names) if (flags[name] !== undefined) query.set(name, flags[name]);
  return query.size > 0 ? `?${query}` : '';
}
