// The page of the script worker's API as a test: every curl line to copy works, and its limits are those of the code.

import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { RUNS_PER_WINDOW } from '../../src/library/run-window.ts';
import {
  KEPT_VERSIONS,
  MAX_CONTENT_BYTES,
  MAX_DESCRIPTION_CHARS,
  MAX_ID_CHARS,
  MAX_NAME_CHARS,
  MAX_PATH_CHARS,
  MAX_SCRIPTS_PER_USER,
  MAX_STORED_BYTES_PER_USER,
} from '../../src/library/script.ts';
import { MAX_PAGE } from '../../src/library/scripts.ts';
import { openLibrariesApp } from '../../src/services/scripts/testing/libraries-app.ts';
import { ADMIN_TOKEN } from '../../src/services/scripts/testing/scripts-app.ts';

const PAGE = readFileSync(new URL('../../docs/api/scripts.md', import.meta.url), 'utf8');
const [OURS = ''] = PAGE.split('## Market-data stream');
const COMMANDS = Array.from(OURS.matchAll(/^```sh\n([\s\S]*?)^```/gm), ([, block = '']) => block)
  .join('\n')
  .replaceAll('\\\n', ' ')
  .split(/^(?=curl )/m)
  .filter((command) => command.startsWith('curl '))
  .map((command) => command.replace(/^#.*$/gm, '').trim());

/** As a shell would read it: single quotes take everything, double quotes and bare words know variables. */
function wordsOf(command: string, variables: Readonly<Record<string, string>>): string[] {
  const known = (text: string): string => text.replace(/\$([A-Z_]+)/g, (_, name: string) => variables[name] ?? '');
  return Array.from(command.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g), ([, single, double, bare]) =>
    single === undefined ? known(double ?? bare ?? '') : single,
  );
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

function callOf([, ...words]: readonly string[]): Call {
  const after = (flag: string): string[] => words.filter((_, n) => words[n - 1] === flag);
  const [body] = after('-d');
  const [method = body === undefined ? 'GET' : 'POST'] = after('-X');
  const url = new URL(words.find((word) => word.startsWith('http')) ?? '');
  const headers = Object.fromEntries(after('-H').map((line) => line.split(': ') as [string, string]));
  return { method, path: url.pathname + url.search, headers, ...(body === undefined ? {} : { body }) };
}

test('there are curl lines for every part', () => {
  for (const part of [
    '/api/keys',
    '/api/run',
    '/api/usage',
    '/api/scripts',
    '/api/libraries',
    '/device/start',
    '/device/poll',
  ])
    expect(COMMANDS.join('\n')).toContain(part);
  expect(COMMANDS.length).toBeGreaterThanOrEqual(12);
});

test.each(COMMANDS)('works: %s', async (command) => {
  const app = openLibrariesApp({
    oauthClientIds: { github: 'x' },
    deviceFlow: {
      start: async () => ({
        kind: 'started',
        deviceCode: 'd',
        userCode: 'u',
        verificationUri: 'https://host.example',
        expiresInS: 900,
        intervalS: 5,
      }),
      poll: async () => ({ kind: 'waiting', state: 'authorization_pending' }),
    },
  });
  onTestFinished(() => app.close());
  const KEY = await app.newKey();
  const library = { name: 'ta', content: '//@version=6\nlibrary("ta")\nexport f(float x) => x' };
  await app.send('PUT', '/api/scripts/ta', { key: KEY, body: library });
  await app.send('PUT', '/api/scripts/mine', { key: KEY, body: { name: 'Cross', content: '' } });
  const { method, path, headers, body } = callOf(wordsOf(command, { KEY, ADMIN_TOKEN, ID: 'mine' }));
  // What stands for a longer text in print is no part of a real one.
  const sent = await app.send(method, path, { headers, body: body?.replace('…', '') });
  expect([sent.status < 300, sent.body.message]).toEqual([true, undefined]);
});

test.each([
  [`at most ${MAX_SCRIPTS_PER_USER} scripts`],
  [`at most ${MAX_STORED_BYTES_PER_USER / 1024 / 1024} MiB of \`content\``],
  [`at most ${MAX_CONTENT_BYTES / 1024} KiB in UTF-8`],
  [`The last ${KEPT_VERSIONS} revisions`],
  [`1–${MAX_ID_CHARS} of`],
  [`1–${MAX_NAME_CHARS} characters`],
  [`at most ${MAX_DESCRIPTION_CHARS} characters`],
  [`1–${MAX_PATH_CHARS} characters`],
  [`\`limit\` is 1–${MAX_PAGE}, default ${MAX_PAGE}`],
  [`### ${RUNS_PER_WINDOW} a minute`],
  ['8 starts and 60 polls a minute'],
  [`has ${10 * RUNS_PER_WINDOW} runs a minute under all keys together`],
])('has the limit of the code: %s', (words) => {
  expect(OURS).toContain(words);
});
