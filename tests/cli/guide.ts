// The examples of a guide: each block that begins with `$ npx signalbox …` is a command and what it prints.

import { readFileSync } from 'node:fs';

export interface Example {
  readonly command: string;
  readonly words: readonly string[];
  /** As printed; a line that is only … stands for any number of lines. */
  readonly lines: readonly string[];
}

const BLOCK = /^```\n\$ npx signalbox (.+)\n([\s\S]*?)^```$/gm;

export function examplesIn(path: string | URL): Example[] {
  return [...readFileSync(path, 'utf8').matchAll(BLOCK)].map(([, command = '', output = '']) => ({
    command,
    words: (command.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', '')),
    lines: output.trimEnd().split('\n'),
  }));
}

/** Whether the lines are those of the example, the time a run took aside. */
export function isAsShown(printed: string, { lines }: Example): boolean {
  const literal = (line: string) => line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\d+\\\.\d ms$/, '[\\d.]+ ms');
  const pattern = lines.map((line) => (line === '…' ? '[\\s\\S]*' : literal(line))).join('\n');
  return new RegExp(`^${pattern}$`).test(printed.trimEnd());
}
