// Every command, each of its forms and each of its flags is in that command's own part of the guide, and a test of that
// command uses it.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Described } from './command.ts';
import { COMMANDS, flagsOf } from './index.ts';
import { COMPUTED, isOfForm, readWritten, type Written } from './testing/usage-forms.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const PARTS = ['command-line', 'pine-cli'].flatMap((name) => read(`docs/guides/${name}.md`).split(/^(?=## )/m));
const TESTS = globSync(['src/cli/**/*.test.ts', 'tests/{cli,keys,deployments,wallet,durability,postgres}/**/*.ts'], {
  cwd: ROOT,
})
  .filter((file) => !file.endsWith('every-command.test.ts'))
  .map(read);
/** Told once, for all commands that reach a running instance. */
const COMMON = ['url', 'token', 'json', 'data-dir'];

const partsOf = (name: string): string =>
  PARTS.filter((part) => new RegExp(`^## .*\\b${name}\\b`, 'i').test(part)).join('\n');

/** The command lines of a text for people, without what the shell does and without remarks. */
function linesIn(text: string, command: Described): Written[] {
  return [...text.matchAll(new RegExp(`signalbox ${command.name}(?![\\w-])([^\`\\n]*)`, 'g'))].map(([, rest = '']) => {
    const line = rest.replace(/\s(#|<\s|\|).*$/, '');
    const tokens = [...line.matchAll(/(?:"[^"]*"|\S)+/g)].map(([token]) => token.replaceAll('"', ''));
    return readWritten(command, tokens);
  });
}

/** The words of a call or array that begins here, the last one open when it takes in others with `...`. */
function callAt(source: string, start: number): { readonly tokens: string[]; readonly isOpen: boolean } {
  const pieces: string[] = [''];
  let depth = 0;
  for (const [piece] of source.slice(start).matchAll(/'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|[\s\S]/g)) {
    if (/^[([{]$/.test(piece)) depth++;
    if (/^[)\]}]$/.test(piece)) depth--;
    if (depth < 0) break;
    if (piece === ',' && depth === 0) pieces.push('');
    else pieces[pieces.length - 1] += piece;
  }
  const words = pieces.map((piece) => piece.trim()).filter((piece) => piece !== '');
  const tokens = words.filter((word) => !word.startsWith('...')).map((word) => wordOf(word));
  return { tokens, isOpen: tokens.length < words.length };
}

const wordOf = (code: string): string => /^'(.*)'$/s.exec(code)?.[1] ?? (/^`(--[\w-]+=)/.exec(code)?.[1] || COMPUTED);

const FLAG = /['`]--([\w-]+)(?=['`=])/g;

interface Called {
  readonly lines: readonly Written[];
  readonly flags: ReadonlySet<string>;
}

/** How tests call a command; where a call takes in words from elsewhere, the flags of that file count as given. */
function callsOf(command: Described): Called {
  const lines: Written[] = [];
  const flags = new Set<string>();
  for (const source of TESTS) {
    let isOpen = false;
    for (const match of source.matchAll(new RegExp(`(?<=[([]\\s*)'${command.name}'`, 'g'))) {
      const call = callAt(source, match.index);
      lines.push(readWritten(command, call.tokens.slice(1)));
      // An array with a name of its own is taken in by others.
      isOpen ||= call.isOpen || /=\s*\[\s*$/.test(source.slice(0, match.index));
    }
    for (const [, rest = ''] of source.matchAll(new RegExp(`['\`]${command.name} ([^'\`\\n]*)['\`]`, 'g')))
      lines.push(readWritten(command, rest.split(' ')));
    if (isOpen) for (const [, flag = ''] of source.matchAll(FLAG)) flags.add(flag);
  }
  return { lines, flags: new Set([...flags, ...lines.flatMap((line) => [...line.flags])]) };
}

const ownFlags = (command: Described): string[] =>
  Object.keys(flagsOf(command)).filter((flag) => !COMMON.includes(flag));

const missingForms = (command: Described, lines: readonly Written[]): string[] =>
  command.usage.filter((usage) => !lines.some((line) => isOfForm(command, usage, line, COMMON)));

describe.each(COMMANDS.map((command) => [command.name, command] as const))('signalbox %s', (name, command) => {
  test('has an example of each form in its own part of the guide', () => {
    expect(missingForms(command, linesIn(partsOf(name), command))).toEqual([]);
  });

  test('has every flag in its own part of the guide', () => {
    const part = partsOf(name);
    expect(ownFlags(command).filter((flag) => !new RegExp(`--${flag}(?![\\w-])`).test(part))).toEqual([]);
  });

  test('is run by a test in each form', () => {
    expect(missingForms(command, callsOf(command).lines)).toEqual([]);
  });

  test('has a test of its own for every flag', () => {
    const { flags } = callsOf(command);
    expect(ownFlags(command).filter((flag) => !flags.has(flag))).toEqual([]);
  });
});

test('a flag or a form that nobody describes or tries is noticed', () => {
  const accounts = COMMANDS.find(({ name }) => name === 'accounts') as Described;
  const wider = { ...accounts, usage: ['', '[--symbol …]', 'close <market>'], flags: { symbol: 'only this market' } };
  expect(missingForms(wider, linesIn(partsOf('accounts'), wider))).toEqual(['[--symbol …]', 'close <market>']);
  expect(missingForms(wider, callsOf(wider).lines)).toEqual(['[--symbol …]', 'close <market>']);
  expect(callsOf(wider).flags).not.toContain('symbol');
});
