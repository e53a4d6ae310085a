// The log: no secret gets through, and a broken output breaks nothing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLog } from './log.ts';

function setup(level: 'debug' | 'info' | 'warn' = 'debug') {
  const written: string[] = [];
  const log = createLog({ level, name: 'test', destination: { write: (line) => written.push(line) } });
  const last = () => JSON.parse(written.at(-1) ?? '{}') as Record<string, unknown>;
  return { log, written, last };
}

const SECRET = 'do-not-show-me';
const NAMES = [
  'apiKey',
  'api_key',
  'key',
  'token',
  'authorization',
  'secret',
  'password',
  'x-internal-auth-key',
  'x-admin-token',
  'privateKey',
];

describe('the log', () => {
  test('writes one JSON line per event with level, time, name and message', () => {
    const { log, written, last } = setup();
    log.warn({ symbol: 'BTCUSDT', n: 1, list: [1, 'a'], at: new Date(0) }, 'two\nlines');
    expect(written).toHaveLength(1);
    expect(written[0]?.match(/\n/g)).toHaveLength(1);
    expect(last()).toEqual({
      level: 'warn',
      time: expect.any(Number),
      name: 'test',
      symbol: 'BTCUSDT',
      n: 1,
      list: [1, 'a'],
      at: '1970-01-01T00:00:00.000Z',
      msg: 'two\nlines',
    });
  });

  test('keeps to its level', () => {
    const { log, written } = setup('warn');
    log.debug({}, 'x');
    log.info({}, 'x');
    log.access('gateway', 'GET', '/')(200, 1, 'id', '127.0.0.1');
    expect(written).toHaveLength(0);
    log.error({}, 'x');
    expect(written).toHaveLength(1);
  });

  test('masks every telling name in any case at any depth it shows', () => {
    const name = fc
      .constantFrom(...NAMES)
      .chain((text) => fc.constantFrom(text, text.toUpperCase(), text.toLowerCase()));
    const value = fc.constantFrom<unknown>(SECRET, [SECRET], { a: SECRET });
    fc.assert(
      fc.property(name, value, fc.nat(6), fc.boolean(), (field, secret, depth, inList) => {
        const { log, written } = setup();
        let fields: Record<string, unknown> = { [field]: secret, symbol: 'BTCUSDT' };
        for (let i = 0; i < depth; i += 1) fields = { wrap: inList ? [fields] : fields };
        log.info(fields, 'x');
        log.child(fields).info({}, 'x');
        expect(written.join('')).not.toContain(SECRET);
        if (depth === 0) expect(written[0]).toContain('BTCUSDT');
      }),
    );
  });

  test.each(['whk', 'pyn', 'pn'])(
    'masks a %s_ key in messages, fields, URLs, errors, causes and children',
    (prefix) => {
      const key = `${prefix}_${'Zz09_-aB'.repeat(5)}`;
      const { log, written } = setup();
      log.info({ note: `key ${key}`, url: new URL(`http://localhost/x?k=${key}`), [key]: 1 }, `said ${key}`);
      log.error({ err: new Error(`bad\n${key}`, { cause: new Error(key) }) }, 'failed');
      log.error(
        {
          err: Object.assign(new Error('x'), {
            body: key,
            apiKey: SECRET,
            config: { headers: { Authorization: SECRET } },
          }),
        },
        'x',
      );
      log.child({ note: key }).info({}, 'x');
      log.access('gateway', 'GET', `/x/${key}`)(200, 1, 'id', '127.0.0.1');
      const text = written.join('');
      expect(text).not.toContain('Zz09');
      expect(text).not.toContain(SECRET);
      expect(text).toContain(`${prefix}_***`);
    },
  );

  test('shows type, message, stack and cause of an error', () => {
    const { log, last } = setup();
    log.error({ err: new TypeError('broken', { cause: new Error('root') }) }, 'failed');
    expect(last().err).toMatchObject({
      type: 'TypeError',
      message: 'broken',
      stack: expect.stringContaining('log.test.ts'),
      cause: { message: 'root' },
    });
  });

  test('survives circles, bytes, big integers and huge fields', () => {
    const { log, last, written } = setup();
    const circle: Record<string, unknown> = { n: 10n, bytes: new Uint8Array(9), text: 'x'.repeat(100_000) };
    circle.self = circle;
    log.info({ circle, items: Array.from({ length: 10_000 }, () => 'item') }, 'x');
    expect(last()).toMatchObject({ circle: { n: '10', bytes: '[9 bytes]' } });
    expect(written[0]?.length).toBeLessThan(100_000);
  });

  test('writes the access line with exactly these fields, encoded and bounded', () => {
    const { log, last } = setup();
    log.access('gateway', 'GET', '/a"b\n')(404, 1.5, 'id-1', '::1');
    expect(last()).toEqual({
      level: 'info',
      time: expect.any(Number),
      name: 'test',
      service: 'gateway',
      method: 'GET',
      path: '/a"b\n',
      status: 404,
      ms: 1.5,
      requestId: 'id-1',
      clientAddress: '::1',
      msg: 'request',
    });
    log.access('gateway', 'GET', `/${'x'.repeat(10_000)}`)(404, 1, 'id', '::1');
    expect(String(last().path)).toHaveLength(256);
  });

  test('drops lines after it was closed', async () => {
    const { log, written } = setup();
    await log.close();
    await log.close();
    log.error({}, 'late');
    log.access('gateway', 'GET', '/')(200, 1, 'id', '::1');
    expect(written).toHaveLength(0);
  });
});

describe('standard output', () => {
  const logUrl = new URL('./log.ts', import.meta.url).href;

  interface RunOptions {
    readonly stdout?: number;
    readonly env?: Readonly<Record<string, string>>;
  }

  function run(script: string, { stdout, env }: RunOptions = {}) {
    const source = `import { createLog } from ${JSON.stringify(logUrl)}; const log = createLog({ level: 'info', name: 'child' }); ${script}`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
      stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    let out = '';
    let err = '';
    child.stdout?.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      err += chunk;
    });
    return { child, done: once(child, 'close').then(([code]) => ({ code, out, err })) };
  }

  test('gets every line in order when the log is closed, long ones too', async () => {
    const { done } = run(
      "for (let i = 0; i < 5000; i++) log.info({ i, long: i % 1000 === 0 ? 'é'.repeat(16000) : '' }, 'x'); await log.close();",
    );
    const { code, out } = await done;
    const numbers = out
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { i: number }).i);
    expect(numbers).toEqual(Array.from({ length: 5000 }, (_, i) => i));
    expect(code).toBe(0);
  });

  test('gets the last lines even when the process just exits', async () => {
    const { done } = run("log.info({}, 'first'); process.exit(3);");
    const { code, out } = await done;
    expect(out).toContain('"msg":"first"');
    expect(code).toBe(3);
  });

  test('gets a lonely line within about a second', async () => {
    const { child, done } = run("log.info({}, 'alone'); setInterval(() => {}, 1000);");
    const [chunk] = (await once(child.stdout as Readable, 'data')) as [Buffer];
    expect(chunk.toString()).toContain('alone');
    child.kill();
    await done;
  });

  test('may close without stopping the process', async () => {
    const { child, done } = run(
      "let n = 0; setInterval(() => { for (let i = 0; i < 500; i++) log.info({}, 'x'); if (++n === 20) log.close().then(() => process.exit(7)); }, 20);",
    );
    child.stdout?.destroy();
    const { code, err } = await done;
    expect(err).toBe('');
    expect(code).toBe(7);
  });

  test.each([
    ['closes its log', 'await log.close(); process.exitCode = 3;'],
    ['just exits', 'process.exit(3);'],
    ['runs to its end', 'process.exitCode = 3;'],
  ])('on a full disk costs lines and nothing else when the process %s', async (_, end) => {
    const full = openSync('/dev/full', 'w');
    const { done } = run(`log.info({}, 'lost'); ${end}`, { stdout: full });
    closeSync(full);
    expect(await done).toEqual({ code: 3, out: '', err: '' });
  });

  test('goes on when the disk has room again, and says that lines were lost', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'signalbox-log-')), 'log');
    // With one thread for files, whoever waits for a file has waited for everything before.
    const { done } = run(
      `import { closeSync, openSync } from 'node:fs'; import { stat } from 'node:fs/promises';
      closeSync(1); openSync('/dev/full', 'w');
      log.info({ long: 'x'.repeat(20000) }, 'lost'); await stat('/');
      closeSync(1); openSync(${JSON.stringify(file)}, 'w');
      log.info({}, 'found'); await log.close();`,
      { env: { UV_THREADPOOL_SIZE: '1' } },
    );
    expect(await done).toMatchObject({ code: 0, err: '' });
    const messages = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(messages.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      expect.stringMatching(/^lines of this log were lost: ENOSPC/),
      'found',
    ]);
  });
});
