// The merged files of the cluster, without a container engine: what compose would make of both, and each of our services run by
// hand with exactly its environment and command, and nothing to write to but its folders.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { closeAtEnd } from '../support/close-at-end.ts';
import { freePort } from '../support/launched-server.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { REDIS_START_TIMEOUT_MS, startRedis } from '../support/redis-server.ts';

type Value = string | boolean | readonly string[] | Readonly<Record<string, unknown>>;
type Service = Readonly<Record<string, Value>>;
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RESET = { tag: '!reset', collection: 'seq' as const, identify: () => false };
const read = (path: string): Compose =>
  parse(readFileSync(join(ROOT, path), 'utf8'), { merge: true, customTags: [RESET] }) as Compose;
const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
const POLL = { timeout: 120_000, interval: 50 };

const targetOf = (volume: string): string => volume.split(':')[1] ?? '';
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** As compose does it: maps are merged, lists added up, mounts replaced by their target, and a command is replaced whole. */
function merged(before: unknown, after: unknown, name = ''): unknown {
  if (before === undefined || after === undefined || name === 'command') return after ?? before;
  if (isRecord(before) && isRecord(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return Object.fromEntries(names.map((each) => [each, merged(before[each], after[each], each)]));
  }
  if (!Array.isArray(before) || !Array.isArray(after)) return after;
  // A list that is reset says so by being empty.
  if (after.length === 0) return after;
  if (name !== 'volumes') return [...new Set([...before, ...after])];
  return [...before.filter((one) => after.every((other) => targetOf(one) !== targetOf(other))), ...after];
}

const cluster = merged(read('compose.yaml'), read('compose.cluster.yaml')) as Compose;
const listOf = (service: string, name: string): readonly string[] =>
  (cluster.services[service]?.[name] ?? []) as readonly string[];
const environmentOf = (service: string) => (cluster.services[service]?.environment ?? {}) as Record<string, string>;

test('every network, volume and service that is named is there, and nobody shares a folder', () => {
  const services = Object.keys(cluster.services);
  expect(services.sort()).toEqual(['analysis', 'postgres', 'proxy', 'redis', 'signalbox', 'standby', 'worker']);
  const mounted = new Set<string>();
  for (const service of services) {
    expect(listOf(service, 'profiles'), service).toEqual([]);
    expect(services).toEqual(expect.arrayContaining([...listOf(service, 'depends_on')]));
    expect(Object.keys(cluster.networks)).toEqual(expect.arrayContaining([...listOf(service, 'networks')]));
    expect(listOf(service, 'networks').length, service).toBeGreaterThan(0);
    const volumes = listOf(service, 'volumes');
    expect(new Set(volumes.map(targetOf)).size).toBe(volumes.length);
    for (const source of volumes.map((volume) => volume.split(':')[0] ?? '')) {
      expect(mounted.has(source), source).toBe(false);
      mounted.add(source);
      if (source.startsWith('./')) expect(existsSync(join(ROOT, source)), source).toBe(true);
      else expect(Object.keys(cluster.volumes)).toContain(source);
    }
  }
  expect(Object.keys(cluster.volumes).filter((name) => !mounted.has(name))).toEqual([]);
  // Since version 18 the image keeps its data a folder deeper, and refuses a mount where it was before.
  expect(listOf('postgres', 'volumes').map(targetOf)).toEqual(['/var/lib/postgresql']);
  expect(listOf('proxy', 'volumes')).toContain('./packaging/Caddyfile.cluster:/etc/caddy/Caddyfile:ro');
});

test('whoever is named in an address is in a network with the one that calls', () => {
  for (const service of ['analysis', 'signalbox', 'standby', 'worker'])
    for (const [, host = ''] of JSON.stringify(environmentOf(service)).matchAll(/\w+:\/\/(\w+):\d+/g)) {
      const shared = listOf(host, 'networks').filter((network) => listOf(service, 'networks').includes(network));
      expect(shared, `${service} calls ${host}`).toContain('back');
    }
  for (const upstream of ['analysis', 'signalbox', 'standby'])
    expect(listOf(upstream, 'networks')).toEqual(expect.arrayContaining([...listOf('proxy', 'networks')]));
  // Venues, chats and mail are outside; the database and Redis call nobody.
  expect(cluster.networks.back).toMatchObject({ internal: true });
  expect(cluster.networks.front?.internal).toBe(undefined);
});

/** The words of a line of the Dockerfile. */
const words = (line: string): string[] =>
  JSON.parse(new RegExp(`^${line} (\\[.*\\])$`, 'm').exec(dockerfile)?.[1] ?? '[]');
const imageEnvironment = Object.fromEntries(
  (/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? '').split(/\s+/).map((pair) => pair.split(/=(.*)/s).slice(0, 2)),
) as Record<string, string>;

interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
}

/** As its container runs it, where names of hosts and folders are those of this machine. Only its folders can be written to. */
function run(service: string, here: (text: string) => string, more: Readonly<Record<string, string>>): Running {
  const temporary = mkdtempSync(join(tmpdir(), `signalbox-${service}-tmp-`));
  const data = mkdtempSync(join(tmpdir(), `signalbox-${service}-data-`));
  const isMounted = listOf(service, 'volumes').some((volume) => targetOf(volume) === '/data');
  const asked = { ...imageEnvironment, ...environmentOf(service), ...more };
  const place = (text: string): string =>
    here(
      text
        .replace(/^\/data\b/, data)
        .replace(/^\/tmp\b/, temporary)
        .replace(/\$\{SIGNALBOX_DOMAIN:[^}]*\}/, 'signals.example.com'),
    );
  const env = Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, place(value)]));
  const writable = [temporary, ...(isMounted ? [data] : [])].map((folder) => `--allow-fs-write=${folder}`);
  const readOnly = ['--permission', '--allow-fs-read=*', ...writable];
  const NODE_OPTIONS = [...readOnly, '--allow-worker', '--allow-child-process', '--allow-addons', '--no-warnings'].join(
    ' ',
  );
  const [, ...flags] = words('ENTRYPOINT').map((word) => word.replace('/app/', ROOT));
  const command = (cluster.services[service]?.command ?? words('CMD')) as readonly string[];
  const child = spawn(process.execPath, [...flags, ...command], {
    env: { PATH: process.env.PATH, TMPDIR: temporary, NODE_OPTIONS, ...env },
    cwd: isMounted ? data : temporary,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  closeAtEnd(async () => void child.kill('SIGKILL'));
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, output: () => text };
}

const ADMIN_TOKEN = 'd'.repeat(64);

async function runAnalysis(here: (text: string) => string) {
  const PORT = `${await freePort()}`;
  const running = run('analysis', here, { ADMIN_TOKEN, INTERNAL_TOKEN: 'e'.repeat(64), PORT });
  const url = `http://127.0.0.1:${PORT}`;
  await expect
    .poll(
      () =>
        fetch(`${url}/health`).then(
          ({ ok }) => ok,
          () => false,
        ),
      POLL,
    )
    .toBe(true);
  return { ...running, url };
}

/** A key made at one process is known to all, and every call of a burst over all of them counts once. */
async function countsExactly(urls: readonly string[]): Promise<void> {
  const ask = async (url: string | undefined, path: string, headers: Record<string, string>, body?: object) => {
    const answer = await fetch(`${url}${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers,
    });
    // biome-ignore lint/suspicious/noExplicitAny: the answers are looked into field by field
    return { status: answer.status, body: (await answer.json()) as any };
  };
  const made = await ask(urls[0], '/auth/create_key', { authorization: `Bearer ${ADMIN_TOKEN}` }, { tier: 'hobby' });
  const key = { authorization: `Bearer ${made.body.api_key}` };
  const bar = { open: 1, high: 2, low: 1, close: 1, volume: 1 };
  const chart = { data: [60, 120, 180].map((time) => ({ time, ...bar })), options: { width: 400, height: 200 } };
  const calls = 40;
  const line = async (url: string): Promise<void> => {
    for (let left = calls / urls.length; left > 0; left -= 1) {
      const { status, body } = await ask(url, '/preview/chart', key, chart);
      expect([status, body]).toMatchObject([200, { status: 'success' }]);
    }
  };
  // From both sides at once.
  await Promise.all(urls.map(line));
  for (const url of urls)
    expect((await ask(url, '/auth/usage', key)).body).toMatchObject({ usage: { calls_used: calls } });
}

test('the Signalboxes, the Analysis API, the worker and Redis run by their commands on a file system that is read-only', {
  timeout: REDIS_START_TIMEOUT_MS,
}, async () => {
  const [server, ...redisArgs] = (cluster.services.redis?.command ?? []) as readonly string[];
  expect(server).toBe('redis-server');
  const [redis, postgres] = [await startRedis(redisArgs), await startPostgres()];
  closeAtEnd(() => redis.kill());
  const DATABASE_URL = await postgres.newDatabase();
  const secrets = { INTERNAL_TOKEN: 'a'.repeat(64), ADMIN_TOKEN: 'b'.repeat(64), SIGNALBOX_MASTER_KEY: 'c'.repeat(64) };
  const ports = { signalbox: await freePort(), standby: await freePort() };
  const here = (text: string): string =>
    text
      .replace('//redis:6379', `//127.0.0.1:${redis.port}`)
      .replace(/\/\/(signalbox|standby):8787/, (_, name: keyof typeof ports) => `//127.0.0.1:${ports[name]}`);
  const fileOf = (name: keyof typeof ports) => ({ ...secrets, DATABASE_URL, PORT: `${ports[name]}` });
  const owner = run('signalbox', here, fileOf('signalbox'));
  await expect.poll(owner.output, POLL).toContain('Try it:');
  const standby = run('standby', here, fileOf('standby'));
  const worker = run('worker', here, {});
  const analysis = await Promise.all([1, 2].map(() => runAnalysis(here)));
  await expect.poll(standby.output, POLL).toContain('stands by at');
  await expect.poll(worker.output, POLL).toContain('taking backtests');

  const apiKey = /whk_[A-Za-z0-9_-]{43}/.exec(owner.output())?.[0];
  const signal = { apiKey, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
  const address = `http://127.0.0.1:${ports.standby}`;
  const answer = await fetch(`${address}/webhook`, { method: 'POST', body: JSON.stringify(signal) });
  expect([answer.status, await answer.json()]).toMatchObject([200, { success: true }]);
  expect((await fetch(`${address}/health`)).status).toBe(200);
  await countsExactly(analysis.map(({ url }) => url));
  for (const { child, output } of [...analysis, worker, standby, owner]) {
    child.kill('SIGTERM');
    await expect.poll(() => child.exitCode, POLL).toBe(0);
    expect(output()).not.toMatch(/ERR_ACCESS_DENIED|EROFS|EACCES/);
  }
});
