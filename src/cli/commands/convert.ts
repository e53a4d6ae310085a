// `signalbox convert`: a script of version 1 to 4 in version 5, and the list of what was changed and what to check.

import { existsSync, writeFileSync } from 'node:fs';
import { errorText } from '../../errors/error-text.ts';
import type { Change, Converted, Diagnostic } from '../../pine/index.ts';
import { codeFrames } from '../code-frame.ts';
import { type LocalCommand, type LocalIo, onlyWord, UsageFault } from '../command.ts';
import { replaceFile } from '../replace-file.ts';
import { CommandFiles, fileFault, fileName } from '../script-files.ts';

export const convert: LocalCommand = {
  name: 'convert',
  summary: 'convert a .pine script of version 1 to 4 to version 5',
  usage: ['script.pine', 'script.pine --output new.pine', 'script.pine --json', '- < script.pine'],
  flags: { output: 'the file to write; without it the script is printed, and the list goes to standard error' },
  switches: { json: 'print script and changes as JSON and nothing else' },
  async local({ words, flags: { output }, switches }, io) {
    const path = onlyWord(words, 'the script');
    const isJson = switches.has('json');
    if (output === '') throw new UsageFault('--output has no file; write it like --output new.pine.');
    if (isJson && output !== undefined) throw new UsageFault('Give --json or --output, not both.');
    const source = await new CommandFiles(io).script(path);
    const { convert: converted, LineTable } = await import('../../pine/index.ts');
    const outcome = converted(source);
    if (outcome.kind === 'unreadable') {
      const lines = new LineTable(source);
      const findings = outcome.diagnostics.map((found) => placed(found, lines));
      if (isJson) io.out(JSON.stringify({ ok: false, version: outcome.version, diagnostics: findings }, null, 2));
      else io.err(`${codeFrames(fileName(path), source, findings, io.errPaint)}\n\n${unreadable(path)}`);
      return 1;
    }
    if (outcome.kind === 'not-old') {
      if (isJson) io.out(JSON.stringify({ ok: false, reason: outcome.message }, null, 2));
      else io.err(`${fileName(path)}: ${outcome.message}`);
      return 1;
    }
    const { version, text, changes } = outcome;
    if (isJson) io.out(JSON.stringify({ ok: true, version, text, changes }, null, 2));
    else {
      if (output === undefined) io.out(text.replace(/\n$/, ''));
      else writeText(output, text);
      tell(path, output, outcome, io);
    }
    return 0;
  },
};

const unreadable = (path: string): string =>
  `${fileName(path)}: not converted; its version would not have read it either. Repair what is named and try again.`;

function placed({ span, ...found }: Diagnostic, lines: InstanceType<typeof import('../../pine/index.ts').LineTable>) {
  const { line: endLine, column: endColumn } = lines.positionAt(span.end);
  return { ...found, ...lines.positionAt(span.start), endLine, endColumn };
}

function writeText(path: string, text: string): void {
  if (existsSync(path)) {
    replaceFile(path, text);
    return;
  }
  try {
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    throw fileFault(path, `it cannot be written (${errorText(error)}); check the folder and its permissions`);
  }
}

/** What is to be checked line by line, and the rest counted by kind. */
function tell(path: string, output: string | undefined, { version, changes }: Converted, io: LocalIo): void {
  const toCheck = changes.filter(({ severity }) => severity === 'check');
  const rest = changes.filter(({ severity }) => severity === 'changed');
  const target = output === undefined ? '' : `, written to ${fileName(output)}`;
  const lines = [`${fileName(path)}: converted from version ${version} to 5${target}.`];
  if (toCheck.length > 0) lines.push('', io.errPaint('bold', `To check (${toCheck.length}):`));
  for (const { line, what, why } of toCheck) lines.push(`  line ${line}: ${what}. ${why}`);
  if (rest.length > 0) lines.push('', io.errPaint('bold', `Changed (${rest.length}):`), ...counted(rest));
  io.err(lines.join('\n'));
}

/** The same change in many lines is one entry. */
function counted(changes: readonly Change[]): string[] {
  return [...Map.groupBy(changes, ({ what }) => what)].map(([what, same]) => {
    const lines = [...new Set(same.map(({ line }) => line))];
    const shown = lines.slice(0, MAX_LINES).join(', ');
    return `  ${what} (line ${shown}${lines.length > MAX_LINES ? ` and ${lines.length - MAX_LINES} more` : ''})`;
  });
}

/** Line numbers that are told of one kind of change; nobody reads a longer list. */
const MAX_LINES = 8;
