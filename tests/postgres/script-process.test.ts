// The whole product with DATABASE_URL: what its users keep is in PostgreSQL, through restarts and kills, and the process
// that runs their scripts is told nothing that opens the owner's tables.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventId } from '../../src/library/deployments/event-id.ts';
import { requestOf } from '../../src/services/analysis/testing/analysis-app.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { type RunningProcess, runSignalbox, startProcess } from '../support/process.ts';
import { scriptProcessOf } from '../support/script-process-of.ts';

const ADMIN_TOKEN = 'an-admin-token-of-32-characters!';
const OWNER_PASSWORD = 'the-password-of-the-owner';
const HOOK_SECRET = 'the-very-secret-text-of-a-hook';
const SCRIPT = '//@version=6\nindicator("x")\nalert("no signal", alert.freq_once_per_bar_close)\nplot(close)';
const POLL = { timeout: 60_000, interval: 100 };

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
  await server.query(`CREATE ROLE app LOGIN CREATEROLE PASSWORD '${OWNER_PASSWORD}'`);
  await server.query(`CREATE ROLE plain LOGIN PASSWORD '${OWNER_PASSWORD}'`);
});

let databases = 0;
let database: string;
let url: string;
beforeEach(() => useDatabaseOf('app'));
async function useDatabaseOf(owner: string): Promise<void> {
  databases += 1;
  database = `of_${databases}`;
  await server.query(`CREATE DATABASE ${database} OWNER ${owner}`);
  url = server.urlOf(database, owner, OWNER_PASSWORD);
}

let running: RunningProcess;
afterEach(() => running.kill());

async function start(env: Record<string, string> = {}, dataDir?: string): Promise<void> {
  running = await startProcess({ env: { ADMIN_TOKEN, DATABASE_URL: url, ...env }, ...(dataDir && { dataDir }) });
}
const restart = () => start({}, running.dataDir);
const rows = (text: string) => server.query(text, server.urlOf(database));

type Headers = Record<string, string>;
// biome-ignore lint/suspicious/noExplicitAny: a test reads any field
async function ask(method: string, path: string, headers: Headers = {}, body?: object): Promise<any> {
  const response = await fetch(running.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: response.status, ...((await response.json()) as object) };
}
const warnings = async (): Promise<string> => ((await ask('GET', '/ready')).warnings as string[]).join();

/** A user with a script. */
async function user(): Promise<{ readonly headers: Headers; readonly scriptId: string }> {
  const { api_key: key } = await ask('POST', '/api/keys', { 'x-admin-token': ADMIN_TOKEN });
  const headers = { authorization: `Bearer ${key}` };
  const { script } = await ask('POST', '/api/scripts', headers, { name: 'Mine', content: SCRIPT });
  return { headers, scriptId: script.id };
}

const deploy = (headers: Headers, scriptId: string, target: object) =>
  ask('POST', '/api/deployments', headers, { scriptId, symbol: 'BTCUSDT', interval: '1h', targets: [target] });

/** As a run of a bar of the past leaves it. */
async function addAlert(id: string, message: string): Promise<void> {
  const event = eventId(id, 60_000, 0);
  await rows(`INSERT INTO strangers.deployment_events
      (id, deployment_id, bar_time, ordinal, message, source, created_at)
      VALUES ('${event}', '${id}', 60000, 0, '${message}', 'alert', ${Date.now()});
    INSERT INTO strangers.deployment_outbox
      (event_id, deployment_id, target, target_kind, attempts, next_attempt_at)
      VALUES ('${event}', '${id}', 0, 'trade', 0, 0)`);
}

describe('with DATABASE_URL', () => {
  test('scripts, keys, runs and deployments outlive a kill and a restart, and a deployment trades on paper', async () => {
    await start();
    const { headers, scriptId } = await user();
    expect(await ask('POST', '/api/run', headers, requestOf())).toMatchObject({ status: 'success' });
    const made = await deploy(headers, scriptId, { type: 'trade', apiKey: running.apiKey });
    expect(made).toMatchObject({ deployment: { state: 'running' } });
    await expect.poll(() => rows('SELECT calls FROM strangers.usage'), POLL).toEqual([{ calls: '1' }]);
    await running.kill();
    await addAlert(made.deployment.id, 'LONG 0.002 BTCUSDT on binance');

    await restart();
    expect(await ask('GET', `/api/scripts/${scriptId}`, headers)).toMatchObject({ script: { content: SCRIPT } });
    expect(await ask('GET', '/api/usage', headers)).toMatchObject({ usage: { calls_used: 1 } });
    expect(await ask('GET', '/api/deployments', headers)).toMatchObject({ deployments: [{ state: 'running' }] });
    await expect
      .poll(() => ask('GET', '/trades'), POLL)
      .toMatchObject({ result: [{ symbol: 'BTCUSDT', source: 'script', mode: 'paper', status: 'Filled' }] });
    expect(await running.stop()).toBe(0);

    await restart();
    expect(await ask('GET', `/api/deployments/${made.deployment.id}`, headers)).toMatchObject({
      deployment: { state: 'running' },
    });
    expect((await ask('GET', '/trades')).result).toHaveLength(1);
    // It would keep bars of venues, and nothing else.
    expect(existsSync(join(running.dataDir, 'scripts.db'))).toBe(false);
  });

  test('the script process has neither DATABASE_URL nor the owner’s password, and comes back with another one of its own when it is killed', async () => {
    await start();
    const { headers, scriptId } = await user();
    const pid = scriptProcessOf(running) as number;
    const trading = readFileSync(`/proc/${running.child.pid}/environ`, 'utf8');
    expect(trading).toContain(OWNER_PASSWORD);
    for (const file of ['environ', 'cmdline']) {
      const text = readFileSync(`/proc/${pid}/${file}`, 'utf8');
      expect(text).not.toContain(OWNER_PASSWORD);
      expect(text).not.toContain('DATABASE_URL');
      expect(text).not.toContain('signalbox_scripts');
    }
    const stored = () =>
      rows(`SELECT rolname, rolpassword FROM pg_authid
      WHERE rolname LIKE 'signalbox_scripts_%' AND has_schema_privilege(rolname, 'strangers', 'USAGE')`);
    const [first, ...others] = await stored();
    expect(others).toEqual([]);
    const sessions = await rows(`SELECT pid FROM pg_stat_activity WHERE usename = '${first?.rolname}'`);
    expect(sessions.length).toBeGreaterThan(0);

    process.kill(pid, 'SIGKILL');
    await expect.poll(async () => (await ask('GET', '/api/scripts', headers)).status, POLL).not.toBe('success');
    await expect
      .poll(() => ask('GET', `/api/scripts/${scriptId}`, headers), POLL)
      .toMatchObject({ script: { content: SCRIPT } });
    const [second] = await stored();
    expect(second?.rolname).toBe(first?.rolname);
    expect(second?.rolpassword).not.toBe(first?.rolpassword);
    expect(await running.stop()).toBe(0);
    expect(await stored()).toEqual([]);
    for (const password of [OWNER_PASSWORD, 'SCRAM']) expect(running.output()).not.toContain(password);
  });

  test('commands on a stopped instance find its keys, libraries and deployments, with the secrets of webhooks sealed', async () => {
    await start();
    const { headers, scriptId } = await user();
    const hook = { type: 'webhook', url: 'https://example.com/h', secret: HOOK_SECRET };
    const { deployment } = await deploy(headers, scriptId, hook);
    expect(deployment).toMatchObject({ targets: [{ type: 'webhook', signed: true }] });
    const [stored] = await rows('SELECT targets FROM strangers.deployments');
    expect(stored?.targets).toContain(hook.url);
    expect(stored?.targets).not.toContain(HOOK_SECRET);
    expect(await running.stop()).toBe(0);
    const env = { DATA_DIR: running.dataDir, DATABASE_URL: url };
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await runSignalbox(args, env);
      expect(code, stdout + stderr).toBe(0);
      return stdout;
    };
    expect(await run('deployments', 'list')).toContain(deployment.id);
    await run('deployments', 'pause', deployment.id);
    const [{ user_id: userId } = {}] = await rows('SELECT user_id FROM strangers.deployments');
    await rows('DELETE FROM strangers.key_values');
    const renewed = await run('keys', 'renew', '--scripts', '--user', String(userId));
    const key = /pn_[0-9a-f]{48}/.exec(renewed)?.[0];
    await restart();
    expect(await ask('GET', '/api/deployments', { authorization: `Bearer ${key}` })).toMatchObject({
      deployments: [{ id: deployment.id, state: 'paused' }],
    });
  });

  test('commands make no schema where there is none', async () => {
    await start({ SERVICES: 'gateway' });
    expect(await running.stop()).toBe(0);
    const env = { DATA_DIR: running.dataDir, DATABASE_URL: url };
    const { code, stderr } = await runSignalbox(['keys', 'create', '--scripts'], env);
    expect([code, stderr]).toEqual([1, expect.stringContaining('The PostgreSQL of DATABASE_URL has no script keys')]);
    await runSignalbox(['deployments', 'list'], env);
    expect(await rows(`SELECT nspname FROM pg_namespace WHERE nspname = 'strangers'`)).toEqual([]);
  });
});

describe('an owner who may not make roles', () => {
  beforeEach(() => useDatabaseOf('plain'));

  test('trades without scripts and is told what to run; with SCRIPT_DATABASE_URL they are there', async () => {
    await start();
    await expect.poll(warnings, POLL).toMatch(/CREATE ROLE signalbox_scripts LOGIN PASSWORD/);
    expect((await ask('GET', '/api/usage')).code).toBe('UNAVAILABLE');
    const signal = { apiKey: running.apiKey, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };
    expect(await ask('POST', '/webhook', {}, signal)).toMatchObject({ success: true });
    expect(await running.stop()).toBe(0);

    await server.query(`CREATE ROLE signalbox_scripts LOGIN PASSWORD 'one of your choice'`);
    const given = server.urlOf(database, 'signalbox_scripts', 'one of your choice');
    await start({ SCRIPT_DATABASE_URL: given }, running.dataDir);
    const { headers, scriptId } = await user();
    expect(await ask('GET', `/api/scripts/${scriptId}`, headers)).toMatchObject({ status: 'success' });
    const environment = readFileSync(`/proc/${scriptProcessOf(running)}/environ`, 'utf8');
    expect(environment).not.toContain('SCRIPT_DATABASE_URL');
  });
});
