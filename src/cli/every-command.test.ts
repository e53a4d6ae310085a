// Every command, each of its forms and each of its flags is in the guide, and somebody tests it.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { COMMANDS, flagsOf } from './index.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const GUIDES = ['command-line', 'pine-cli', 'wallet', 'email'].map((name) => read(`docs/guides/${name}.md`)).join('\n');
const TESTS = globSync(['src/cli/**/*.test.ts', 'tests/{cli,keys,deployments,wallet,durability}/**/*.ts'], {
  cwd: ROOT,
})
  .filter((file) => !file.endsWith('every-command.test.ts'))
  .map(read)
  .join('\n');
/** Told once, for all commands that reach a running instance. */
const COMMON = ['url', 'token', 'json', 'data-dir'];

describe.each(COMMANDS.map((command) => [command.name, command] as const))('signalbox %s', (name, command) => {
  test('has a heading and an example in the guide', () => {
    expect(GUIDES).toMatch(new RegExp(`^## .*\\b${name}\\b`, 'm'));
    expect(GUIDES).toContain(`signalbox ${name}`);
  });

  test('has every flag in a guide', () => {
    const flags = Object.keys(flagsOf(command)).filter((flag) => !COMMON.includes(flag));
    expect(flags.filter((flag) => !GUIDES.includes(`--${flag}`))).toEqual([]);
  });

  test('is run by a test', () => {
    const called = [`'${name}'`, `"${name}"`, `\`${name} `, `'${name} `];
    expect(called.some((form) => TESTS.includes(form))).toBe(true);
  });
});
