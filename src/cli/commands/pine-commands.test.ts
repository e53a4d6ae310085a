// run, check and format through the command line's front door: wrong command lines, wrong files, and every outcome.

import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Refused, ScriptRunner, Stopped } from '../../library/script-runner.ts';
import { run as cli, type Given } from '../testing/fake-host.ts';

const UGLY = '//@version=6\nindicator( "x" )\nplot(close   ,color=color.red)\n';
const NEAT = '//@version=6\nindicator("x")\nplot(close, color = color.red)\n';
const ESCAPE = '\u001b';

let folder: string;
const at = (name: string): string => join(folder, name);
const file = (name: string, text: string | Uint8Array): string => {
  writeFileSync(at(name), text);
  return at(name);
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-pine-'));
  file('bars.csv', 'time,open,high,low,close\n60,1,3,0,2\n120,2,4,1,3\n');
  file('good.pine', NEAT);
});

/** Words that end in .pine, .csv or .json are files of the folder. */
const here = (words: readonly string[]) =>
  words.map((word) => (/^[\w-]+\.(?:pine|csv|json)$/.test(word) ? at(word) : word));

/** A runner that gives one outcome to everything and remembers what it was asked. */
function answering(outcome: Refused | Stopped): Given & { readonly asked: unknown[]; readonly closed: () => number } {
  const asked: unknown[] = [];
  let closed = 0;
  const answer = async (request: unknown) => {
    asked.push(request);
    return outcome;
  };
  const check: ScriptRunner['check'] = async () => ({ kind: 'checked', ok: true, diagnostics: [], inputs: [] });
  const close = async () => {
    closed += 1;
  };
  return { scripts: { run: answer, evaluate: answer, check, close }, asked, closed: () => closed };
}

describe('run', () => {
  it.each([
    [[], 2, 'The script is missing; write it like: signalbox run script.pine --bars bars.csv.'],
    [
      ['good.pine', 'bars.csv'],
      2,
      'one word too many; if these are the bars, write it like: signalbox run script.pine',
    ],
    [['good.pine'], 2, '--bars is missing; name the CSV file'],
    [['good.pine', '--bars', ''], 2, '--bars is missing; name the CSV file'],
    [['', '--bars', 'bars.csv'], 2, 'The script is missing'],
    [['good.pine', 'bad.pine', '--bars', 'bars.csv'], 2, 'is one word too many'],
    [['good.pine', '--bars', 'bars.csv', '--json', '--csv'], 2, 'Give one of --json, --csv, not 2.'],
    [['good.pine', '--bars', 'bars.csv', '--json', '--csv', '--chart'], 2, 'not 3.'],
    [['good.pine', '--bars', 'bars.csv', '--bars', 'bars.csv'], 2, '--bars is given twice'],
    [['good.pine', '--bars', 'bars.csv', '--chart', '--chart'], 2, '--chart is given twice'],
    [['good.pine', '--bars', 'bars.csv', '--csv=yes'], 2, '--csv takes no value'],
    [['good.pine', '--bars', 'bars.csv', '--input'], 2, '--input needs a value'],
    [['good.pine', '--bars', 'bars.csv', '--input', 'Length'], 2, '--input Length has no value; write it like'],
    [['good.pine', '--bars', 'bars.csv', '--input', '=3'], 2, '--input =3 has no value'],
    [['good.pine', '--bars', 'bars.csv', '--library', 'Lib=x.pine'], 2, 'ns/Name/1=file.pine'],
    [['good.pine', '--bars', 'bars.csv', '--library', 'a/B/x=x.pine'], 2, 'ns/Name/1=file.pine'],
    [
      ['good.pine', '--bars', 'bars.csv', '--library', 'a/B/1=x.pine', '--library', 'a/B/01=y.pine'],
      2,
      '--library a/B/1 is given twice',
    ],
    [['good.pine', '--bars', 'bars.csv', '--input', 'A=1', '--input', ' A =2'], 2, '--input "A" is given twice'],
    [['good.pine', '--bars', 'bars.csv', '--timeout', '0'], 2, '--timeout 0 is out of range'],
    [['good.pine', '--bars', 'bars.csv', '--timeout', '86401'], 2, '--timeout 86401 is out of range'],
    [['good.pine', '--bars', 'bars.csv', '--timeout', 'long'], 2, '--timeout long is no plain number'],
    [
      ['good.pine', '--bars', 'bars.csv', '--url', 'http://x'],
      2,
      '--url is for bars that Signalbox gives; name their market with --symbol',
    ],
    [['good.pine', '--bars', 'bars.csv', '--inptu', 'a=b'], 2, 'Did you mean --input?'],
    [['nowhere.pine', '--bars', 'bars.csv'], 1, 'nowhere.pine: there is no such file; check the path'],
    [['good.pine', '--bars', 'nowhere.csv'], 1, 'nowhere.csv: there is no such file'],
    [['good.pine', '--bars', 'good.pine'], 1, 'good.pine:1: the header has no time'],
    [['good.pine', '--bars', 'bars.csv', '--symbol-info', 'bars.csv'], 1, 'bars.csv: it is not JSON'],
    [['good.pine', '--bars', 'bars.csv', '--symbol-info', 'nowhere.json'], 1, 'nowhere.json: there is no such file'],
    [['good.pine', '--bars', 'bars.csv', '--library', 'a/B/1=gone.pine'], 1, 'gone.pine: there is no such file'],
  ])('%j exits %i and says why', async (words, code, message) => {
    const ran = await cli(['run', ...here(words)]);
    expect(ran).toMatchObject({ code, out: '' });
    expect(ran.err).toContain(message);
  });

  it('says where to look when the command line is wrong', async () => {
    expect((await cli(['run'])).err).toMatch(/\nRun "signalbox help run" to see how it is used\.$/);
    for (const words of [['runn'], ['--jsn', 'run'], ['help', 'x', 'y']])
      expect((await cli(words)).err).toMatch(/\nRun "signalbox help" to see what there is\.$/);
  });

  it('names a folder as one', async () => {
    expect((await cli(['run', folder, '--bars', at('bars.csv')])).err).toContain('this is a folder; name a file in it');
  });

  it.each(['[]', '{}', '3', 'null', '{"symbol": {}}', '{"symbol_info": "BTCUSDT"}'])(
    'refuses a market file that describes none: %s',
    async (text) => {
      const words = ['run', at('good.pine'), '--bars', at('bars.csv'), '--symbol-info', file('none.json', text)];
      expect(await cli(words)).toMatchObject({
        code: 1,
        err: expect.stringContaining('it holds no description of a market'),
      });
    },
  );

  it.each([{ ticker: 'ABC' }, { symbol: { ticker: 'ABC' } }, { symbol_info: { ticker: 'ABC' }, symbol: 'XYZ' }])(
    'takes the market from %j',
    async (market) => {
      const given = answering({ kind: 'busy', reason: 'x' });
      const words = [
        'run',
        at('good.pine'),
        '--bars',
        at('bars.csv'),
        '--symbol-info',
        file('m.json', JSON.stringify(market)),
      ];
      await cli(words, given);
      expect(given.asked).toMatchObject([{ symbol: { ticker: 'ABC' }, isTimeframeMeasured: true }]);
    },
  );

  it('tells the fields of a market that it does not know, with the ones that may be meant', async () => {
    const market = file('m.json', '{"ticker": "ABC", "mintik": 0.1, "colour": "red"}');
    const words = ['run', at('good.pine'), '--bars', at('bars.csv'), '--symbol-info', market];
    const { err } = await cli(words, answering({ kind: 'busy', reason: 'x' }));
    expect(err).toContain('not known and left out: mintik (did you mean mintick?), colour.');
    const known = file('known.json', '{"symbol": {"ticker": "ABC", "mintick": 0.1}}');
    const right = ['run', at('good.pine'), '--bars', at('bars.csv'), '--symbol-info', known];
    expect((await cli(right, answering({ kind: 'busy', reason: 'x' }))).err).not.toContain('not known');
  });

  it('hands everything over as it was written', async () => {
    const given = answering({ kind: 'busy', reason: 'x' });
    const inputs = ['--input', 'Length=20', '--input', 'Name = a=b ', '--input=__proto__=x', '--input', 'Empty='];
    const libraries = ['--library', `a/B/1=${at('good.pine')}`, '--library', `c-d/E/23=${at('good.pine')}`];
    const bars = ['--bars', at('bars.csv'), '--timeframe', '240'];
    await cli(['run', ...inputs, at('good.pine'), ...libraries, ...bars, '--json'], given);
    expect(given.asked).toMatchObject([
      {
        source: NEAT,
        timeframe: '240',
        runId: 'run-1',
        libraries: [
          { namespace: 'a', name: 'B', version: 1, source: NEAT },
          { namespace: 'c-d', name: 'E', version: 23, source: NEAT },
        ],
        bars: { count: 2, time: expect.any(Float64Array) },
      },
    ]);
    const [{ inputs: sent }] = given.asked as [{ inputs: object }];
    expect(Object.entries(sent)).toEqual([
      ['Length', '20'],
      ['Name', 'a=b'],
      ['__proto__', 'x'],
      ['Empty', ''],
    ]);
    expect(given.closed()).toBe(1);
  });

  it.each([
    ['timeout', 'TIMEOUT'],
    ['too-large', 'MEMORY_LIMIT'],
    ['canceled', 'STOPPING'],
    ['busy', 'BUSY'],
    ['failed', 'INTERNAL'],
    ['input-fault', 'INVALID_FIELD'],
  ] as const)('%s exits 1 with the reason, and with code %s as JSON', async (kind, code) => {
    const words = ['run', at('good.pine'), '--bars', at('bars.csv')];
    const reason = `stopped; ${ESCAPE}[2Jdo this`;
    const ran = await cli(words, answering({ kind, reason }));
    expect(ran).toMatchObject({ code: 1, out: '', err: `${at('good.pine')}: stopped; ·[2Jdo this` });
    const { out } = await cli([...words, '--json'], answering({ kind, reason }));
    expect(JSON.parse(out)).toEqual({ status: 'error', code, message: reason });
  });

  it('closes its threads also when they break', async () => {
    const given = answering({ kind: 'busy', reason: 'x' });
    const broken = { ...given.scripts!, run: () => Promise.reject(new Error('lost')) };
    const ran = await cli(['run', at('good.pine'), '--bars', at('bars.csv')], { scripts: broken });
    expect(ran).toMatchObject({ code: 1, err: 'lost' });
    expect(given.closed()).toBe(1);
  });

  it('colours frames by what standard error is, not standard output', async () => {
    const diagnostics = [
      { line: 1, column: 1, endLine: 1, endColumn: 2, severity: 'error', code: 'PE001', message: 'no' },
    ] as const;
    const given = answering({ kind: 'compile-failed', diagnostics });
    const words = ['run', at('good.pine'), '--bars', at('bars.csv')];
    expect((await cli(words, { ...given, isTty: true })).err).not.toContain(ESCAPE);
    const screen = { write: () => {}, columns: 80, onInterrupt: () => () => {} };
    expect((await cli(words, { ...given, screen })).err).toContain(`${ESCAPE}[31merror PE001`);
    expect((await cli(words, { ...given, screen, env: { NO_COLOR: '1' } })).err).not.toContain(ESCAPE);
    expect((await cli(words, { ...given, screen, env: { TERM: 'dumb' } })).err).not.toContain(ESCAPE);
  });
});

describe('check', () => {
  it('notes what cannot be run yet, which is no mistake of the script', async () => {
    const given = answering({ kind: 'busy', reason: 'x' });
    const place = { line: 1, column: 1, endLine: 1, endColumn: 2 };
    const found = { ...place, code: 'PE301', severity: 'error', message: 'request.seed cannot be run yet.' } as const;
    const check: ScriptRunner['check'] = async () => ({ kind: 'checked', ok: false, diagnostics: [found], inputs: [] });
    const ran = await cli(['check', at('good.pine')], { ...given, scripts: { ...given.scripts!, check } });
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('ok, 1 note') });
    expect(ran.err).toContain('note PE301: request.seed cannot be run yet.');
  });

  it.each([
    [[], 2, 'The script is missing'],
    [['good.pine', '--csv'], 2, '"check" has no flag --csv'],
    [['good.pine', 'nowhere.pine'], 1, 'nowhere.pine: there is no such file'],
    [['latin1.pine'], 1, 'latin1.pine: it is not UTF-8 text; save it as UTF-8'],
  ])('%j exits %i and says why', async (words, code, message) => {
    file('latin1.pine', Uint8Array.of(0x2f, 0x2f, 0xe9));
    const ran = await cli(['check', ...here(words)], answering({ kind: 'busy', reason: 'x' }));
    expect(ran).toMatchObject({ code, out: '' });
    expect(ran.err).toContain(message);
  });
});

describe('convert', () => {
  const OLD = '//@version=2\nstudy("x")\nplot(sma(close, 5), color=red)\ns = security(tickerid, "D", n)\n';
  const NOW =
    '//@version=5\nindicator("x")\nplot(ta.sma(close, 5), color=color.red)\ns = request.security(syminfo.tickerid, "D", bar_index, lookahead=barmerge.lookahead_on)\n';

  it('prints the script, and what was changed and is to check beside it', async () => {
    const script = file('old.pine', OLD);
    const { code, out, err } = await cli(['convert', script]);
    expect([code, out]).toEqual([0, NOW.trimEnd()]);
    expect(err).toContain(`${script}: converted from version 2 to 5.`);
    expect(err).toContain('To check (1):\n  line 4: security() looks ahead.');
    expect(err).toContain('  red is color.red (line 3)');
    expect(readFileSync(script, 'utf8')).toBe(OLD);
    expect(await cli(['convert', '-'], { input: OLD })).toMatchObject({ code: 0, out: NOW.trimEnd() });
  });

  it('writes the script to a file, new or there already', async () => {
    const script = file('old.pine', OLD);
    for (const target of [at('written.pine'), script]) {
      const { code, out, err } = await cli(['convert', script, '--output', target]);
      expect([code, out]).toEqual([0, '']);
      expect(err).toContain(`converted from version 2 to 5, written to ${target}.`);
      expect(readFileSync(target, 'utf8')).toBe(NOW);
    }
    const twice = await cli(['convert', script]);
    expect(twice).toMatchObject({ code: 1, out: '' });
    expect(twice.err).toContain('The script is of version 5; only scripts of version 1 to 4 are converted');
  });

  it('gives everything as JSON', async () => {
    const ran = await cli(['convert', file('old.pine', OLD), '--json']);
    const { changes, ...rest } = JSON.parse(ran.out);
    expect([ran.code, ran.err, rest]).toEqual([0, '', { ok: true, version: 2, text: NOW }]);
    expect(changes).toContainEqual({
      line: 4,
      severity: 'check',
      what: 'security() looks ahead',
      why: expect.any(String),
    });
    const refused = await cli(['convert', at('good.pine'), '--json']);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.out)).toMatchObject({ ok: false, reason: expect.stringContaining('of version') });
  });

  it('shows the mistakes of a script that cannot be read', async () => {
    const broken = file('broken-old.pine', '//@version=4\nstudy("x")\nplot(close\n');
    const { code, out, err } = await cli(['convert', broken]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('broken-old.pine:3:5: error PE018');
    expect(err).toContain('not converted');
    const json = await cli(['convert', broken, '--json']);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, version: 4, diagnostics: [{ line: 3, code: 'PE018' }] });
  });

  it.each([
    [[], 2, 'The script is missing'],
    [['a.pine', 'b.pine'], 2, 'one word too many'],
    [['a.pine', '--json', '--output', 'b.pine'], 2, 'Give --json or --output, not both.'],
    [['nowhere.pine'], 1, 'nowhere.pine: there is no such file'],
  ])('%j exits %i and says why', async (words, code, message) => {
    const ran = await cli(['convert', ...here(words)]);
    expect(ran).toMatchObject({ code, out: '' });
    expect(ran.err).toContain(message);
  });

  it('says why a file cannot be written', async () => {
    const ran = await cli(['convert', file('old.pine', OLD), '--output', join(at('no-folder'), 'new.pine')]);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('it cannot be written');
  });
});

describe('format', () => {
  it('--check changes nothing and exits 1; --stdout prints instead', async () => {
    const script = file('unchanged.pine', UGLY);
    const checked = await cli(['format', at('good.pine'), script, '--check']);
    expect(checked).toMatchObject({ code: 1, out: `${script}: would change`, err: '' });
    expect(await cli(['format', script, '--stdout'])).toMatchObject({ code: 0, out: NEAT.trimEnd() });
    expect(readFileSync(script, 'utf8')).toBe(UGLY);
    expect(await cli(['format', at('good.pine'), '--check'])).toMatchObject({ code: 0, out: '' });
  });

  it('leaves a script with mistakes as it is, formats the others, and exits 1', async () => {
    const text = '//@version=6\nplot(close\n';
    const broken = file('broken.pine', text);
    const other = file('other.pine', UGLY);
    const { code, out, err } = await cli(['format', broken, other]);
    expect([code, out]).toEqual([1, `${other}: formatted`]);
    expect(err).toContain('broken.pine:2:5: error PE018');
    expect(err).toContain('broken.pine: left as it is until it can be read.');
    expect([readFileSync(broken, 'utf8'), readFileSync(other, 'utf8')]).toEqual([text, NEAT]);
  });

  it('reads all of them before it writes the first', async () => {
    const script = file('first.pine', UGLY);
    const ran = await cli(['format', script, at('nowhere.pine')]);
    expect(ran).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('nowhere.pine: there is no such file'),
    });
    expect(readFileSync(script, 'utf8')).toBe(UGLY);
  });

  it('prints standard input, with --stdout or without', async () => {
    expect(await cli(['format', '-'], { input: UGLY })).toMatchObject({ code: 0, out: NEAT.trimEnd() });
    expect(await cli(['format', '-', '--stdout'], { input: UGLY })).toMatchObject({ code: 0, out: NEAT.trimEnd() });
  });

  it('leaves nothing behind', () => {
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('prints nothing of an empty script, which lacks its version', async () => {
    const ran = await cli(['format', file('empty.pine', ''), '--stdout']);
    expect(ran).toMatchObject({ code: 1, out: '', err: expect.stringContaining('empty.pine:1:1: error PE002') });
  });

  it.each([
    [[], 'The script is missing'],
    [['a.pine', '--check', '--stdout'], 'Give --check or --stdout, not both.'],
    [['a.pine', 'b.pine', '--stdout'], '--stdout prints one script'],
    [['a.pine', '-'], '--stdout prints one script'],
    [['-', '-', '--check'], '- is given twice; standard input can be read once.'],
    [['a.pine', '--json'], '"format" has no flag --json'],
    [['a.pine', '--check=yes'], '--check takes no value'],
  ])('%j exits 2', async (words, message) => {
    const ran = await cli(['format', ...here(words)]);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain(message);
  });
});
