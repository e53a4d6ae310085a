// The help texts, made from the commands themselves so that they cannot fall behind.

import type { Described } from './command.ts';
import type { Paint } from './paint.ts';
import { pairs } from './table.ts';

export const CONNECTION_FLAGS: Readonly<Record<string, string>> = {
  url: 'address of a running instance (or SIGNALBOX_URL)',
  token: 'its internal token (or INTERNAL_TOKEN)',
  'data-dir': 'data folder to work on when no instance runs',
};

export function helpFor(commands: readonly Described[], paint: Paint): string {
  const summaries = commands.map(({ name, summary }) => [`  ${name}`, summary] as const);
  return [
    'Signalbox: signals in, interlocking checks, trades out.',
    '',
    `${paint('bold', 'Usage:')} signalbox <command> [flags]`,
    '',
    pairs(summaries, (_colour, text) => text),
    '',
    'Every command takes --help. Commands that show something take --json.',
    'Exit codes: 0 done, 1 refused or failed, 2 wrong command line.',
  ].join('\n');
}

export function helpOn(command: Described, flags: Readonly<Record<string, string>>, paint: Paint): string {
  const forms = command.usage.map((form) => `  signalbox ${command.name} ${form}`.trimEnd());
  const described = Object.entries(flags).map(([name, about]) => [`  --${name}`, about] as const);
  return [
    `${command.name}: ${command.summary}`,
    '',
    paint('bold', 'Usage:'),
    ...forms,
    ...(described.length > 0 ? ['', paint('bold', 'Flags:'), pairs(described, (_colour, text) => text)] : []),
  ].join('\n');
}
