// libraries, and folders of libraries for run, check and backtest, through the command line's front door.

import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Checked, CheckRequest, ScriptRunner, Stopped } from '../../library/script-runner.ts';
import { run as cli, type Given } from '../testing/fake-host.ts';

const KEY = `pn_${'k'.repeat(48)}`;
const TOOLS = '//@version=6\nlibrary("Tools")\nexport f(float x) => x\n';

let folder: string;
const at = (name: string): string => join(folder, name);
function file(name: string, text: string): string {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
  return at(name);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-libraries-'));
  file('tools.pine', TOOLS);
  file('bars.csv', 'time,open,high,low,close\n60,1,3,0,2\n120,2,4,1,3\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const published = (status: number, version = 1): Given => ({
  answer: { status, body: { status: 'success', library: { import: `me/Tools/${version}`, version } } },
});

describe('libraries publish', () => {
  it('sends a file as it is, with the key, and says how it is imported', async () => {
    const ran = await cli(['libraries', 'publish', at('tools.pine'), '--key', KEY], published(201));
    expect([ran.code, ran.out]).toEqual([
      0,
      'Published: me/Tools/1. Scripts of this key import it with: import me/Tools/1 as alias',
    ]);
    expect(ran.calls).toEqual([{ method: 'POST', path: '/api/libraries', body: { content: TOOLS }, key: KEY }]);
  });

  it('names the publisher, the name and the version, as far as they are given', async () => {
    const bodyOf = async (as: string) =>
      (await cli(['libraries', 'publish', at('tools.pine'), '--key', KEY, '--as', as], published(201))).calls[0]?.body;
    expect(await bodyOf('TradingView')).toEqual({ content: TOOLS, publisher: 'TradingView' });
    expect(await bodyOf('TradingView/ta')).toEqual({ content: TOOLS, publisher: 'TradingView', name: 'ta' });
    expect(await bodyOf('TradingView/ta/7')).toEqual({
      ...{ content: TOOLS, publisher: 'TradingView', name: 'ta', version: 7 },
    });
  });

  it('takes a script that is stored already, and the key from the environment', async () => {
    const env = { SIGNALBOX_SCRIPT_KEY: KEY };
    const ran = await cli(['libraries', 'publish', '--script', 'abc', '--as', 'me/Tools'], { ...published(200), env });
    expect(ran.out).toMatch(/^Published before, and unchanged: me\/Tools\/1\./);
    const body = { scriptId: 'abc', publisher: 'me', name: 'Tools' };
    expect(ran.calls).toEqual([{ method: 'POST', path: '/api/libraries', body, key: KEY }]);
  });

  it('shows why a library was refused, with every finding', async () => {
    const found = (line: number, message: string) => ({ line, message, remedy: 'Mend it.' });
    const diagnostics = [found(3, 'one'), found(4, 'two')];
    const body = { status: 'error', code: 'SCRIPT_ERROR', message: 'line 3: one Mend it', diagnostics };
    const ran = await cli(['libraries', 'publish', at('tools.pine'), '--key', KEY], { answer: { status: 400, body } });
    expect([ran.code, ran.out]).toEqual([1, '']);
    expect(ran.err).toContain('Refused (400 SCRIPT_ERROR): line 3: one Mend it\n  line 4: two Mend it.');
    const json = await cli(['libraries', 'publish', at('tools.pine'), '--key', KEY, '--json'], {
      answer: { status: 400, body },
    });
    expect([json.code, JSON.parse(json.out)]).toEqual([1, body]);
  });

  it('needs an instance that runs', async () => {
    const ran = await cli(['libraries', 'publish', at('tools.pine'), '--key', KEY], { running: false });
    expect([ran.code, ran.calls]).toEqual([1, []]);
    expect(ran.err).toContain('is not running');
  });

  it.each([
    [['publish', 'x.pine'], '--key is missing'],
    [['publish', '--key', KEY], 'The file with the library is missing.'],
    [['publish', 'x.pine', 'y.pine', '--key', KEY], 'one word too many'],
    [['publish', 'x.pine', '--script', 'abc', '--key', KEY], 'one word too many'],
    [['publish', 'x.pine', '--key', KEY, '--as', 'a/b/c/d'], '--as a/b/c/d cannot be read'],
    [['publish', 'x.pine', '--key', KEY, '--as', 'a/b/x'], '--as a/b/x cannot be read'],
    [['publish', 'x.pine', '--key', 'a b'], '--key is no script key'],
    [['show', '--key', KEY], 'The library is missing.'],
    [['show', 'me/Tools', '--key', KEY], '"me/Tools" is no library; write it as in an import'],
    [['withdraw', 'me/Tools/x', '--key', KEY], 'is no library'],
    [['list', 'me', '--key', KEY], 'one word too many'],
    [['publsh', '--key', KEY], 'Did you mean "libraries publish"?'],
  ])('%j is a wrong command line', async (words, part) => {
    const ran = await cli(['libraries', ...words]);
    expect([ran.code, ran.calls]).toEqual([2, []]);
    expect(ran.err).toContain(part);
  });

  it('tells a file that is not there', async () => {
    const ran = await cli(['libraries', 'publish', at('none.pine'), '--key', KEY], published(201));
    expect([ran.code, ran.calls]).toEqual([1, []]);
    expect(ran.err).toContain('there is no such file');
  });
});

describe('libraries', () => {
  it('are listed', async () => {
    const library = { import: 'TradingView/ta/7', publishedAt: 0, scriptId: null, imports: ['me/Tools/1'] };
    const libraries = [{ ...library, digest: 'abcdef0123456789' }];
    const ran = await cli(['libraries', 'list', '--key', KEY], { answer: { status: 200, body: { libraries } } });
    expect(ran.calls).toEqual([{ method: 'GET', path: '/api/libraries', key: KEY }]);
    expect(ran.out).toContain('TradingView/ta/7');
    expect(ran.out).toContain('abcdef012345');
    const none = await cli(['libraries', '--key', KEY], { answer: { status: 200, body: { libraries: [] } } });
    expect(none.out).toBe('Nothing is published under this key.');
  });

  it('are shown as they can be saved again, but for what a terminal would obey', async () => {
    const content = '//@version=6\r\nlibrary("T")\tx\u001b[2J';
    const ran = await cli(['libraries', 'show', 'me/T/1', '--key', KEY], {
      answer: { status: 200, body: { library: { content } } },
    });
    expect(ran.calls[0]?.path).toBe('/api/libraries/me/T/1');
    expect(ran.out).toBe('//@version=6\nlibrary("T")\tx·[2J');
  });

  it('are withdrawn, unless they are used', async () => {
    const words = ['libraries', 'withdraw', 'some-one/T/12', '--key', KEY];
    const ran = await cli(words, { answer: { status: 200, body: { import: 'some-one/T/12' } } });
    expect(ran.calls).toEqual([{ method: 'DELETE', path: '/api/libraries/some-one/T/12', key: KEY }]);
    expect(ran.out).toContain('Withdrawn: some-one/T/12.');
    const body = { code: 'CONFLICT', message: 'me/User/1 imports it' };
    const used = await cli(['libraries', 'withdraw', 'me/T/1', '--key', KEY], { answer: { status: 409, body } });
    expect([used.code, used.err]).toEqual([1, expect.stringContaining('me/User/1 imports it')]);
  });
});

describe('--libraries', () => {
  const SCRIPT = '//@version=6\nindicator("x")\nimport me/User/2 as u\nplot(u.g(close))\n';
  const USER = '//@version=6\nlibrary("User")\nimport TradingView/ta/7 as t\nexport g(float x) => t.f(x)\n';

  /** What the runner was handed, by name. */
  async function handed(words: readonly string[]) {
    const asked: CheckRequest[] = [];
    const stop = async (request: CheckRequest): Promise<Stopped> => {
      asked.push(request);
      return { kind: 'busy', reason: 'enough' };
    };
    const check: ScriptRunner['check'] = async (request): Promise<Checked> => {
      asked.push(request);
      return { kind: 'checked', ok: true, diagnostics: [], inputs: [] };
    };
    const ran = await cli(words, { scripts: { run: stop, evaluate: stop, check, close: async () => {} } });
    const named = asked.map(({ libraries = [] }) =>
      libraries.map(
        ({ namespace, name, version, source }) => `${namespace}/${name}/${version} ${source?.length ?? '-'}`,
      ),
    );
    return { ...ran, named: named[0] };
  }

  beforeEach(() => {
    file('script.pine', SCRIPT);
    file('libs/me/User/2.pine', USER);
    file('libs/me/User/10.pine', 'not looked at');
    file('libs/me/User/README.md', 'not looked at');
    file('libs/TradingView/ta/7.pine', TOOLS);
  });

  it('finds what scripts of run, backtest and check import, and what that imports', async () => {
    const expected = [`me/User/2 ${USER.length}`, `TradingView/ta/7 ${TOOLS.length}`];
    const [script, libs, bars] = [at('script.pine'), at('libs'), at('bars.csv')];
    expect((await handed(['run', script, '--bars', bars, '--libraries', libs])).named).toEqual(expected);
    expect((await handed(['backtest', script, '--bars', bars, '--libraries', libs])).named).toEqual(expected);
    expect((await handed(['check', script, '--libraries', libs])).named).toEqual(expected);
  });

  it('gives way to a file that is named', async () => {
    const own = file('own.pine', 'import TradingView/ta/7');
    const { named } = await handed([
      'check',
      at('script.pine'),
      '--libraries',
      at('libs'),
      '--library',
      `me/User/2=${own}`,
    ]);
    expect(named).toEqual([`TradingView/ta/7 ${TOOLS.length}`, 'me/User/2 23']);
  });

  it('names the versions there are where one is missing', async () => {
    file('script.pine', SCRIPT.replace('User/2', 'User/3'));
    const { named } = await handed(['check', at('script.pine'), '--libraries', at('libs')]);
    expect(named?.sort()).toEqual(['me/User/10 -', 'me/User/2 -']);
  });

  it.skipIf(process.platform === 'win32')('reads regular files alone, and never waits for a pipe', async () => {
    for (const put of [
      (path: string) => execFileSync('mkfifo', [path]),
      (path: string) => mkdirSync(path),
      (path: string) => symlinkSync(at('nowhere'), path),
    ]) {
      const path = at('libs/TradingView/ta/7.pine');
      rmSync(path, { recursive: true });
      put(path);
      // Whoever reads a pipe all the same gets this, and the test fails instead of standing still.
      const writer = spawn('sh', ['-c', 'test -p "$0" && echo x > "$0"', path]);
      const ran = await handed(['check', at('script.pine'), '--libraries', at('libs')]);
      writer.kill();
      expect([ran.code, ran.err]).toEqual([
        1,
        expect.stringContaining('7.pine: it is no regular file; put the library'),
      ]);
    }
  });

  it.skipIf(process.platform === 'win32')('follows links to files', async () => {
    const path = at('libs/TradingView/ta/7.pine');
    rmSync(path);
    symlinkSync(at('tools.pine'), path);
    const { named } = await handed(['check', at('script.pine'), '--libraries', at('libs')]);
    expect(named).toContain(`TradingView/ta/7 ${TOOLS.length}`);
  });

  it('must be a folder', async () => {
    for (const path of ['none', 'tools.pine']) {
      const ran = await handed(['check', at('script.pine'), '--libraries', at(path)]);
      expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('there is no such folder; name the one with')]);
    }
  });
});
