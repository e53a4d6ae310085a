// Usage lines and command lines compared: whether a line that somebody wrote is of a form that the help of a command shows.

import type { Described } from '../command.ts';

/** In place of a value that a test computes; it fits wherever any word does. */
export const COMPUTED = '\0';

/** A command line behind the command's name. */
export interface Written {
  readonly words: readonly string[];
  readonly flags: ReadonlySet<string>;
}

interface Form {
  readonly words: readonly { readonly text: string; readonly isOptional: boolean }[];
  /** Of each group one must be there. */
  readonly required: readonly (readonly string[])[];
  readonly optional: readonly string[];
}

const flagName = (token: string): string => token.replace(/^--/, '').replace(/=.*$/s, '');

const takesValue = (command: Described, flag: string): boolean =>
  Object.hasOwn(command.flags, flag) ||
  Object.hasOwn(command.lists ?? {}, flag) ||
  ['url', 'token', 'data-dir'].includes(flag);

export function readWritten(command: Described, tokens: readonly string[]): Written {
  const words: string[] = [];
  const flags = new Set<string>();
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as string;
    if (!token.startsWith('--')) words.push(token);
    else flags.add(flagName(token));
    if (token.startsWith('--') && !token.includes('=') && takesValue(command, flagName(token))) at++;
  }
  return { words, flags };
}

function readForm(command: Described, usage: string): Form {
  const [line = ''] = usage.split(' < ');
  const words: { text: string; isOptional: boolean }[] = [];
  const required: string[][] = [];
  const optional: string[] = [];
  for (const [, group, token = ''] of line.matchAll(/\[([^\]]*)\]…?|((?:"[^"]*"|\S)+)/g)) {
    const inside = group?.match(/--[\w-]+/g);
    if (inside) optional.push(...inside.map(flagName));
    else if (group !== undefined) words.push({ text: group, isOptional: true });
    else if (token.startsWith('--')) required.push(token.split('|').map(flagName));
    else words.push({ text: token, isOptional: false });
  }
  // The example value behind a flag is no word of its own.
  const values = required.flat().filter((flag) => takesValue(command, flag));
  const shown = values.map((flag) => new RegExp(`--${flag} ((?:"[^"]*"|\\S)+)`).exec(line)?.[1]);
  return { words: words.filter(({ text }) => !shown.includes(text)), required, optional };
}

/** A form of letters alone is a word of the language; anything else stands for what the user puts there. */
function fits(pattern: string, word: string): boolean {
  const choices = pattern.startsWith('<') ? ['<>'] : pattern.split('|');
  return choices.some((choice) => {
    if (/^([a-z-]+|-)$/.test(choice)) return word === choice;
    if (word === COMPUTED || /^</.test(choice) || choice.includes('.')) return word !== '-';
    return choice.endsWith('…') && word.startsWith(choice.slice(0, -1));
  });
}

export function isOfForm(command: Described, usage: string, written: Written, common: readonly string[]): boolean {
  const form = readForm(command, usage);
  const known = new Set([...form.required.flat(), ...form.optional, ...common]);
  if ([...written.flags].some((flag) => !known.has(flag))) return false;
  if (!form.required.every((group) => group.some((flag) => written.flags.has(flag)))) return false;
  // A form of flags alone is another one than the bare command.
  const isBare = written.words.length === 0 && ![...written.flags].some((flag) => !common.includes(flag));
  if (isBare && form.words.length === 0 && usage !== '') return false;
  const last = form.words.at(-1);
  const most = last?.text.endsWith('…') ? Number.POSITIVE_INFINITY : form.words.length;
  const fewest = form.words.filter(({ isOptional }) => !isOptional).length;
  if (written.words.length > most || written.words.length < fewest) return false;
  return written.words.every((word, at) => fits((form.words[at] ?? last)?.text ?? '', word));
}
