// The one table of Pine's built-ins: look-ups by name, by namespace and by type. An entry is read when it is first asked for.

import { nearestName } from '../syntax/index.ts';
import type { Entry, FunctionEntry, ValueEntry, WordEntry } from './model.ts';
import { splitTable, type UnreadEntry } from './notation.ts';
import { SOURCES } from './tables/all.ts';
import { RENAMED } from './tables/renamed.ts';
import { WORDS } from './tables/words.ts';
import type { PineVersion } from './types.ts';

interface Namespace {
  readonly functions: ReadonlyMap<string, UnreadEntry>;
  readonly values: ReadonlyMap<string, UnreadEntry>;
  /** In alphabetical order; a value before the function of the same name. */
  entries(): readonly Entry[];
}

const blocks = Map.groupBy(SOURCES, ({ namespace }) => namespace);
const read = new Map<string, Namespace>();
const wordsByName = new Map(WORDS.map((word) => [word.name, word]));

/** The part before the last dot; '' when there is none. */
const parentOf = (name: string) => name.slice(0, Math.max(0, name.lastIndexOf('.')));

const memberOf = (name: string) => name.slice(name.lastIndexOf('.') + 1);

function namespace(name: string): Namespace | null {
  const known = read.get(name);
  if (known !== undefined) return known;
  const block = blocks.get(name);
  if (block === undefined) return null;
  const found = block.flatMap(splitTable);
  const byMember = (isFunction: boolean) =>
    new Map(found.flatMap((entry) => (entry.isFunction === isFunction ? [[entry.member, entry] as const] : [])));
  let entries: readonly Entry[] | undefined;
  const fresh: Namespace = {
    functions: byMember(true),
    values: byMember(false),
    entries: () => {
      entries ??= found.map((entry) => entry.read()).sort((a, b) => compare(a.name, b.name) || compare(b.kind, a.kind));
      return entries;
    },
  };
  read.set(name, fresh);
  return fresh;
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** The function of a full name such as `ta.sma`, whatever the version; its overloads say which versions have it. */
export const findFunction = (name: string): FunctionEntry | null =>
  (namespace(parentOf(name))?.functions.get(memberOf(name))?.read() as FunctionEntry | undefined) ?? null;

/** The variable or constant of a full name such as `close` or `color.red`. */
export const findValue = (name: string): ValueEntry | null =>
  (namespace(parentOf(name))?.values.get(memberOf(name))?.read() as ValueEntry | undefined) ?? null;

/** The keyword, type, annotation or operator of that spelling. */
export const findWord = (name: string): WordEntry | null => wordsByName.get(name) ?? null;

/** All namespaces, the unnamed one ('') first. */
export const namespaces = (): readonly string[] => [...blocks.keys()].sort(compare);

export const isNamespace = (name: string): boolean => name !== '' && blocks.has(name);

/** The namespaces directly inside one: `strategy` holds `strategy.risk` and others. */
export const namespacesIn = (name: string): readonly string[] =>
  namespaces().filter((inner) => inner !== '' && parentOf(inner) === name);

/** What may follow `ta.` in a version, in alphabetical order; '' for the names without a namespace. */
export const membersOf = (name: string, version: PineVersion): readonly Entry[] =>
  (namespace(name)?.entries() ?? []).filter((entry) => entry.versions.includes(version));

/** What may follow the dot after a value: of an array, a `line`… by the type's name. */
export const methodsOf = (type: string, version: PineVersion): readonly FunctionEntry[] =>
  membersOf(type, version).filter(
    (entry) =>
      entry.kind === 'function' &&
      entry.overloads.some((overload) => overload.methodOf === type && overload.versions.includes(version)),
  ) as readonly FunctionEntry[];

export const allEntries = (): readonly Entry[] => namespaces().flatMap((name) => namespace(name)?.entries() ?? []);

export const allWords = (): readonly WordEntry[] => WORDS;

/** What replaced a name of Pine v4 or older: a name, or words such as `the ?: operator`; null when it never existed. */
export const replacementOf = (name: string): string | null => RENAMED.get(name) ?? null;

/** Shorter members, such as the r of color.r, occur too often by chance to suggest them across namespaces. */
const SHORTEST_TELLING_MEMBER = 3;

/** The built-in somebody probably meant: one that moved, the same member elsewhere, or a near spelling; else null. */
export function suggestionFor(name: string, version: PineVersion): string | null {
  const moved = RENAMED.get(name);
  if (moved !== undefined) return moved;
  const inVersion = allEntries().filter((entry) => entry.versions.includes(version));
  const parent = parentOf(name);
  const member = memberOf(name);
  if (member.length >= SHORTEST_TELLING_MEMBER) {
    const movedMember = RENAMED.get(member);
    if (movedMember !== undefined) return movedMember;
    const elsewhere = inVersion.find((entry) => entry.member === member);
    if (elsewhere !== undefined) return elsewhere.name;
  }
  for (const near of [inVersion.filter((entry) => entry.namespace === parent), inVersion]) {
    const meant = nearestName(
      member,
      near.map((entry) => entry.member),
    );
    if (meant !== null) return near.find((entry) => entry.member === meant)!.name;
  }
  return null;
}
