// Two processes behind one port: what the script process does or suffers is its own affair, and clients see one server.

import { once } from 'node:events';
import { chmodSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { closeAtEnd } from '../support/close-at-end.ts';
import { freshDataDir, type RunningProcess, spawnSignalbox, startProcess } from '../support/process.ts';
import { scriptProcessOf } from '../support/script-process-of.ts';

const SCRIPT = '//@version=6\nindicator("x")\nplot(close)';
const BARS = [{ time: 1, open: 1, high: 1, low: 1, close: 7, volume: 1 }];

let program: RunningProcess;
beforeAll(async () => {
  program = await startProcess({ env: { WEBHOOK_RATE_PER_MINUTE: '0' } });
});
afterAll(() => program.stop());

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${program.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const run = () => post('/run', { script: SCRIPT, data: BARS });
const signal = () =>
  post('/webhook', { apiKey: program.apiKey, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 });
const warnings = async () =>
  ((await (await fetch(`${program.url}/ready`)).json()) as { warnings: string[] }).warnings.join();
const untilUp = () => vi.waitFor(async () => expect((await run()).status).toBe(200), { timeout: 60_000, interval: 50 });

it('whoever sees /health and asks for bars before the script process has started waits, and gets them', async () => {
  const port = await freePort();
  const dataDir = freshDataDir();
  const child = spawnSignalbox(['start'], { DATA_DIR: dataDir, PORT: String(port) });
  const ended = once(child, 'exit');
  closeAtEnd(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  // Held before it is ready: it is started first, so it would be quicker on most machines.
  const pid = await vi.waitFor(() => scriptProcessOf({ child }) ?? Promise.reject(new Error('not yet')), {
    timeout: 120_000,
    interval: 1,
  });
  process.kill(pid, 'SIGSTOP');
  const address = `http://127.0.0.1:${port}`;
  const isHealthy = async () => expect((await fetch(`${address}/health`)).status).toBe(200);
  await vi.waitFor(isHealthy, { timeout: 120_000, interval: 20 });
  const asked = fetch(`${address}/bars?symbol=BTCUSDT&timeframe=1h&limit=2`);
  let isAnswered = false;
  void asked.then(() => {
    isAnswered = true;
  });
  for (let times = 0; times < 5; times++) await isHealthy();
  expect(isAnswered).toBe(false);
  process.kill(pid, 'SIGCONT');
  expect((await asked).status).toBe(200);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('the script process', () => {
  it('that is killed is replaced; meanwhile its callers get 503 with a time, the operator too, and trades go on', async () => {
    await untilUp();
    const pid = scriptProcessOf(program) as number;
    process.kill(pid, 'SIGKILL');
    const away = await vi.waitFor(
      async () => {
        const answer = await run();
        expect(answer.status).toBe(503);
        return answer;
      },
      { timeout: 10_000, interval: 1 },
    );
    expect(away.headers.get('retry-after')).toBe('1');
    expect(await away.json()).toMatchObject({ status: 'error', code: 'UNAVAILABLE' });
    expect(await (await signal()).json()).toMatchObject({ success: true });
    await untilUp();
    expect(scriptProcessOf(program)).not.toBe(pid);
    await vi.waitFor(async () => expect(await warnings()).not.toContain('Scripts and analysis'), { timeout: 30_000 });
    expect(program.output()).toContain('the script process ended');
  });

  it('whose socket is removed, or whose folder others may enter, is not believed any more but replaced', async () => {
    const folder = join(program.dataDir, 'script-process');
    for (const harm of [() => rmSync(folder, { recursive: true }), () => chmodSync(folder, 0o777)]) {
      await untilUp();
      const pid = scriptProcessOf(program);
      harm();
      expect((await run()).status).toBe(503);
      await untilUp();
      expect(scriptProcessOf(program)).not.toBe(pid);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    }
  });

  it('that stands still does not make trading unready', async () => {
    await untilUp();
    const pid = scriptProcessOf(program) as number;
    process.kill(pid, 'SIGSTOP');
    try {
      const answer = await fetch(`${program.url}/ready`);
      expect(await answer.json()).toMatchObject({
        status: 'ready',
        checks: { journal: 'ok', scripts: expect.stringMatching(/^away/) },
      });
      expect(answer.status).toBe(200);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  it('killed again and again: every signal sent meanwhile is traded, once', async () => {
    await untilUp();
    const killer = (async () => {
      for (let kills = 0; kills < 3; kills++) {
        const pid = scriptProcessOf(program);
        if (pid !== undefined) process.kill(pid, 'SIGKILL');
        await sleep(1000);
      }
    })();
    let isOver = false;
    void killer.then(() => {
      isOver = true;
    });
    const answers: { status: number; requestId: string; state: string }[] = [];
    while (!isOver || answers.length < 20) {
      const answer = await signal();
      const body = (await answer.json()) as { requestId: string; result?: { status?: string } };
      answers.push({ status: answer.status, requestId: body.requestId, state: JSON.stringify(body) });
      await sleep(20);
    }
    await killer;
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    const listed = await (await fetch(`${program.url}/trades?limit=100`)).text();
    for (const { requestId } of answers.slice(-50)) expect(listed.split(`"${requestId}"`).length).toBe(2);
    await untilUp();
  });

  it('is offered to the system before trading when memory runs out, and has a lower priority', async () => {
    await untilUp();
    const scoreOf = (pid: number | undefined) => Number(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'));
    const niceOf = (pid: number | undefined) =>
      Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[16]);
    const pid = scriptProcessOf(program);
    expect(scoreOf(pid)).toBe(500);
    expect(scoreOf(pid)).toBeGreaterThan(scoreOf(program.child.pid));
    expect(niceOf(pid)).toBe(niceOf(program.child.pid) + 5);
  });

  it('has none of the secrets that trade, spend or ask models, and ends with the trading process, also when that is killed', async () => {
    const secret = 'a-secret-of-the-trading-process';
    const other = await startProcess({ env: { WALLET_TOKEN: secret, OPENAI_API_KEY: secret, LOG_LEVEL: 'error' } });
    const environmentOf = (pid: number | undefined) => readFileSync(`/proc/${pid}/environ`, 'utf8');
    expect(environmentOf(other.child.pid)).toContain(secret);
    expect(environmentOf(scriptProcessOf(other))).not.toContain(secret);
    expect(environmentOf(scriptProcessOf(other))).toContain('LOG_LEVEL=error');
    const pid = scriptProcessOf(other) as number;
    await other.kill();
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), { timeout: 30_000 });
  });

  it('that cannot start does not keep trading from starting: greeting, /ready and log say why', async () => {
    const first = await startProcess();
    await first.stop();
    const db = new DatabaseSync(join(first.dataDir, 'scripts.db'));
    db.exec('ALTER TABLE deployments RENAME COLUMN state TO condition');
    db.close();
    const other = await startProcess({ dataDir: first.dataDir });
    expect(other.output()).toContain('Scripts and analysis are away and are started again');
    expect(other.output()).toMatch(/"msg":"scripts and analysis cannot start"/);
    const body = { apiKey: first.apiKey, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
    const traded = await fetch(`${other.url}/webhook`, { method: 'POST', body: JSON.stringify(body) });
    expect(traded.status).toBe(200);
    const ready = await (await fetch(`${other.url}/ready`)).text();
    expect(ready).toMatch(/Scripts and analysis are away and are started again: [^"]*scripts\.db/);
    expect(await other.stop()).toBe(0);
  });
});

describe('one server', () => {
  it('passes 70 MB of answers on without a look through the whole heap of the trading process for each', async () => {
    await untilUp();
    const looks = async () => {
      const page = await (await fetch(`${program.url}/metrics`)).text();
      return Number(/gc_duration_seconds_count\{kind="major",process="trading"\} (\d+)/.exec(page)?.[1] ?? 0);
    };
    const plots = Array.from({ length: 60 }, (_, index) => `plot(close / ${index + 3}, "${index}")`);
    const script = ['//@version=6', 'indicator("many numbers")', ...plots].join('\n');
    const data = Array.from({ length: 3000 }, (_, index) => ({ ...BARS[0], high: 9, time: 60_000 * (index + 1) }));
    const before = await looks();
    for (let runs = 0; runs < 24; runs++) {
      const answer = await post('/run', { script, data });
      expect(answer.status).toBe(200);
      expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(2_500_000);
    }
    // One or none; left to itself V8 would take six, and every signal would wait for each.
    expect((await looks()) - before).toBeLessThan(4);
  });

  it('describes, counts and probes both processes', async () => {
    await untilUp();
    expect((await signal()).status).toBe(200);
    const { info, paths } = (await (await fetch(`${program.url}/openapi.json`)).json()) as {
      info: object;
      paths: object;
    };
    expect(info).toMatchObject({ title: 'Signalbox', version: '1.0.0' });
    const { release } = JSON.parse(readFileSync('package.json', 'utf8').replace('"version"', '"release"'));
    expect(await (await fetch(`${program.url}/health`)).json()).toMatchObject({ version: '1.0.0', release });
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(['/webhook', '/run', '/api/scripts', '/admin/deployments', '/admin/limits']),
    );
    const page = await (await fetch(`${program.url}/metrics`)).text();
    expect(page).toMatch(/http_requests_total\{service="analysis",route="\/run",method="POST",status="200"\} \d+/);
    expect(page).toMatch(/http_requests_total\{service="gateway",route="\/webhook",method="POST",status="200"\} \d+/);
    for (const name of ['trading', 'scripts']) expect(page).toContain(`nodejs_heap_size_used_bytes{process="${name}"}`);
    const { checks } = (await (await fetch(`${program.url}/ready`)).json()) as { checks: object };
    expect(Object.keys(checks)).toEqual(expect.arrayContaining(['journal', 'analysis keys', 'script keys', 'scripts']));
  });

  it('keeps protected mode in front of the operator’s endpoints of the script worker', async () => {
    const ask = (head: string) =>
      new Promise<string>((resolve) => {
        const { hostname, port } = new URL(program.url);
        let heard = '';
        const socket = connect(Number(port), hostname, () => socket.write(head));
        socket.on('data', (piece: Buffer) => {
          heard += piece.toString();
        });
        socket.on('close', () => resolve(heard));
      });
    const GET = 'GET /admin/deployments HTTP';
    const END = 'Connection: close\r\n\r\n';
    expect(await ask(`${GET}/1.1\r\nHost: localhost\r\n${END}`)).toMatch(/^HTTP\/1\.1 200/);
    // Whatever a client claims about itself: an old proxy, another page, another host.
    const lie = 'X-Signalbox-Peer: 1.1 127.0.0.1\r\n';
    expect(await ask(`${GET}/1.0\r\nHost: localhost\r\n${lie}\r\n`)).toMatch(/^HTTP\/1\.1 401/);
    expect(await ask(`${GET}/1.1\r\nHost: evil.example\r\n${lie}${END}`)).toMatch(/^HTTP\/1\.1 401/);
    expect(await ask(`${GET}/1.1\r\nHost: localhost\r\nX-Forwarded-For: 1.2.3.4\r\n${END}`)).toMatch(/^HTTP\/1\.1 401/);
  });

  it('says good-bye to its sockets when it stops', async () => {
    const socket = new WebSocket(`${program.url.replace('http', 'ws')}/api/stream`);
    await new Promise((resolve) => socket.once('open', resolve));
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    expect(await program.stop()).toBe(0);
    expect(await closed).toBe(1001);
  });
});
