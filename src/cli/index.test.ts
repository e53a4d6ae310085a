// The command line through its front door: usage faults, connections, exit codes, JSON purity, help and doctor.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DoctorReport } from './host.ts';
import { ok, run } from './testing/fake-host.ts';

const REFUSAL = { success: false, requestId: 'r-9', error: 'Wrong token; set --token.', code: 'UNAUTHORIZED' };
const ESCAPE = '\u001b';

describe('usage faults', () => {
  it.each([
    [['trade'], 'There is no command "trade". Did you mean "trades"?'],
    [['kill-swich', 'on'], 'Did you mean "kill-switch"?'],
    [['queue'], 'Did you mean "queue-mode"?'],
    [['frobnicate'], 'There is no command "frobnicate".'],
    [['help', 'positons'], 'Did you mean "positions"?'],
    [['trades', '--limt', '5'], '"trades" has no flag --limt. Did you mean --limit?'],
    [['positions', '--limit', '5'], '"positions" has no flag --limit.'],
    [['start', '--json'], '"start" has no flag --json.'],
    [['start', '--data-dir', 'x'], '"start" has no flag --data-dir.'],
    [['--urll', 'x'], 'There is no flag --urll. Did you mean --url?'],
    [['trades', '-x'], '"trades" has no flag -x.'],
    [['trades', '--limit'], '--limit needs a value'],
    [['trades', '--limit', '--json'], '--limit needs a value'],
    [['trades', '--limit', '5', '--limit', '6'], '--limit is given twice'],
    [['trades', '--json', '--json'], '--json is given twice'],
    [['trades', '--json=yes'], '--json takes no value'],
    [['trades', '--input', 'a=b'], '"trades" has no flag --input.'],
    [['trades', '--chart'], '"trades" has no flag --chart.'],
    [['positions', '--csv', '--csv'], '"positions" has no flag --csv.'],
    [['trades', '--limit', '1.5'], '--limit 1.5 is no whole number'],
    [['trades', 'a', 'b'], '"b" is one word too many'],
    [['positions', 'all'], '"all" is one word too many'],
    [['start', 'now'], '"now" is one word too many'],
    [['help', 'keys', 'list'], '"list" is one word too many'],
    [['trades', '--url', 'x', '--data-dir', 'y'], 'Give --url or --data-dir, not both.'],
    [['trades', '--url', 'localhost:8787'], 'write it like http://127.0.0.1:8787'],
  ])('%j is told what is wrong and exits 2', async (argv, message) => {
    const ran = await run(argv);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(message);
    expect(ran.out).toBe('');
    expect(ran.calls).toEqual([]);
    expect(ran.started).toBe(0);
  });

  it('never end in anything but an exit code, whatever the words', async () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom('keys', 'trades', '--limit', '--json', '--', '-', '--url', 'on', '__proto__', 'constructor'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 5 }), async (argv) => {
        expect([0, 1, 2]).toContain((await run(argv)).code);
      }),
    );
  });
});

describe('help and version', () => {
  it.each([[[]], [['help']]])('%j lists every command', async (argv) => {
    const { code, out } = await run(argv);
    expect(code).toBe(0);
    for (const name of [
      'start',
      'doctor',
      'keys',
      'kill-switch',
      'queue-mode',
      'allowlist',
      'limits',
      'signal',
      'signals',
      'trades',
      'positions',
      'audit',
      'run',
      'check',
      'format',
      'convert',
    ])
      expect(out).toMatch(new RegExp(`^ {2}${name} +\\S`, 'm'));
  });

  it.each([[['help', 'trades']], [['trades', '--help']], [['trades', '-h']]])(
    '%j explains one command and calls nothing',
    async (argv) => {
      const ran = await run(argv);
      expect(ran.code).toBe(0);
      expect(ran.out).toContain('signalbox trades <requestId>');
      expect(ran.out).toContain('--limit');
      expect(ran.out).toContain('--url');
      expect(ran.calls).toEqual([]);
    },
  );

  it.each(['--version', '-v'])('%s prints the version alone', async (flag) => {
    expect(await run([flag])).toMatchObject({ code: 0, out: '9.8.7', err: '' });
  });
});

describe('start', () => {
  it.each([0, 1])('hands over to the host and keeps its exit code %i', async (startCode) => {
    expect(await run(['start'], { startCode })).toMatchObject({ code: startCode, started: 1 });
  });
});

describe('worker', () => {
  it('hands over to the host and keeps its exit code', async () => {
    expect(await run(['worker'])).toMatchObject({ code: 0, started: 0 });
    expect(await run(['worker', 'now'])).toMatchObject({ code: 2, err: expect.stringContaining('one word too many') });
  });
});

describe('the connection', () => {
  it('takes flags first, then the environment', async () => {
    const env = { SIGNALBOX_URL: 'http://env:1', INTERNAL_TOKEN: 'env-token' };
    expect((await run(['positions'], { env })).connects).toEqual([{ url: 'http://env:1', token: 'env-token' }]);
    expect((await run(['positions', '--url', 'https://flag', '--token=flag-token'], { env })).connects).toEqual([
      { url: 'https://flag', token: 'flag-token' },
    ]);
    expect((await run(['positions', '--data-dir', './d'], { env })).connects).toEqual([
      { token: 'env-token', dataDir: './d' },
    ]);
    expect((await run(['positions'], { env: { SIGNALBOX_URL: '', INTERNAL_TOKEN: '' } })).connects).toEqual([{}]);
  });

  it('may come before the command', async () => {
    expect((await run(['--url', 'http://x', 'positions'])).connects).toEqual([{ url: 'http://x' }]);
  });

  it('that cannot be made is told and exits 1', async () => {
    const ran = await run(['positions', '--json'], {
      connectError: new Error('Nobody listens there.\nStart it first.'),
    });
    expect(ran).toMatchObject({ code: 1, out: '', err: 'Nobody listens there.\nStart it first.' });
  });

  it('is closed also when the call breaks', async () => {
    expect(await run(['positions'], { callError: new Error('reset') })).toMatchObject({
      code: 1,
      err: 'reset',
      closed: 1,
    });
    expect(await run(['positions'])).toMatchObject({ code: 0, closed: 1 });
  });
});

describe('answers', () => {
  it('that refuse exit 1 and give reason, code and request id', async () => {
    const ran = await run(['positions'], { answer: { status: 401, body: REFUSAL } });
    expect(ran.code).toBe(1);
    expect(ran.out).toBe('');
    expect(ran.err).toContain('Refused (401 UNAUTHORIZED): Wrong token; set --token.');
    expect(ran.err).toContain('request id r-9');
  });

  it.each([
    [{ status: 502, body: undefined }],
    [{ status: 500, body: 'oops' }],
    [{ status: 200, body: { success: false } }],
    [{ status: 302, body: {} }],
  ])('of an unexpected shape still fail calmly: %j', async (answer) => {
    const ran = await run(['positions'], { answer });
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('the answer gives no reason.');
  });

  it('are printed whole and alone with --json, refusals too', async () => {
    const body = { success: true, requestId: 'r-1', result: [{ market: 'BTCUSDT', odd: null }] };
    const good = await run(['positions', '--json'], { answer: { status: 200, body }, isTty: true });
    expect(good).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(good.out)).toEqual(body);
    const bad = await run(['positions', '--json'], { answer: { status: 401, body: REFUSAL } });
    expect(bad).toMatchObject({ code: 1, err: '' });
    expect(JSON.parse(bad.out)).toEqual(REFUSAL);
    expect((await run(['positions', '--json'], { answer: { status: 204, body: undefined } })).out).toBe('null');
  });

  it('cannot send control characters to the terminal', async () => {
    const nasty = `${ESCAPE}[2Jgone\u202e`;
    const shown = await run(['positions'], ok([{ market: nasty }]));
    expect(shown.out).toContain('·[2Jgone·');
    const refused = await run(['positions'], { answer: { status: 400, body: { ...REFUSAL, error: nasty } } });
    expect(shown.out + refused.err).not.toContain(ESCAPE);
    expect(shown.out + refused.err).not.toContain('\u202e');
  });
});

describe('colours', () => {
  const given = ok([{ market: 'BTCUSDT', side: 'LONG', unrealizedPnl: '-1' }]);

  it('are there on a terminal only, and NO_COLOR turns them off', async () => {
    expect((await run(['positions'], { ...given, isTty: true })).out).toContain(`${ESCAPE}[32mLONG`);
    expect((await run(['positions'], { ...given, isTty: true, env: { NO_COLOR: '1' } })).out).not.toContain(ESCAPE);
    expect((await run(['positions'], given)).out).not.toContain(ESCAPE);
  });

  it('do not disturb the columns', async () => {
    const coloured = await run(['positions'], { ...given, isTty: true });
    const plain = await run(['positions'], given);
    expect(coloured.out.replaceAll(new RegExp(`${ESCAPE}\\[\\d+m`, 'g'), '')).toBe(plain.out);
  });
});

describe('doctor', () => {
  const settings = [{ name: 'INTERNAL_TOKEN', value: '********', source: '.env' }];
  const report = (...kinds: DoctorReport['checks'][number]['ok'][]): DoctorReport => ({
    checks: kinds.map((kind, i) => ({
      name: `check ${i}`,
      ok: kind,
      detail: 'a detail',
      ...(kind === 'ok' ? {} : { remedy: 'do this' }),
    })),
    settings,
  });

  it.each([
    [report('ok', 'ok'), 0, 'Everything is in order.'],
    [report('ok', 'warn'), 0, 'Everything works; 1 of 2 checks warn.'],
    [report('ok', 'warn', 'fail'), 1, '1 of 3 checks failed.'],
  ])('exits by the worst check', async (given, code, verdict) => {
    const ran = await run(['doctor'], { report: given });
    expect(ran.code).toBe(code);
    expect(ran.out).toContain(verdict);
  });

  it('shows remedies, and each setting with its source', async () => {
    const { out } = await run(['doctor'], { report: report('fail') });
    expect(out).toContain('fail  check 0: a detail\n      Remedy: do this');
    expect(out).toMatch(/INTERNAL_TOKEN {2}\*{8} {2}\.env/);
  });

  it('prints its report alone with --json', async () => {
    const ran = await run(['doctor', '--json'], { report: report('fail') });
    expect(JSON.parse(ran.out)).toEqual(report('fail'));
    expect(ran).toMatchObject({ code: 1, err: '' });
  });
});
