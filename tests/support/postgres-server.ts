// A real PostgreSQL for tests, of the programs that npm brings: on a free port of its own, over a folder of its own.

import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { closeAtEnd } from './close-at-end.ts';
import { findPostgres, type PostgresBinaries } from './find-postgres.ts';
import { freePort, launchServer } from './launched-server.ts';
import { copyForReplica } from './postgres-replica.ts';

const ATTEMPTS = 5;
/** Far longer than a replica needs to follow, or to become a primary. */
const READY_WITHIN_MS = 60_000;
const HOST = '127.0.0.1';
const USER = 'postgres';
export const POSTGRES_PASSWORD = 'a-password-of-tests';

/** As postgresql.conf has them. What decides whether a commit lasts is left as it is. */
export type PostgresSettings = Readonly<Record<string, string>>;

/** Small, and quick to start; no files in folders that others share. */
const SMALL: PostgresSettings = {
  listen_addresses: HOST,
  unix_socket_directories: '',
  shared_buffers: '16MB',
  max_wal_size: '256MB',
  max_connections: '60',
  dynamic_shared_memory_type: 'mmap',
  autovacuum: 'off',
};

export interface PostgresServer {
  readonly port: number;
  /** Where its data and its settings are. */
  readonly folder: string;
  /** The address of its database `postgres`. */
  readonly url: string;
  urlOf(database: string, user?: string, password?: string): string;
  /** The address of a fresh, empty database. */
  newDatabase(): Promise<string>;
  /** Statements as its superuser, one after the other; the rows of the last one. */
  query(text: string, url?: string): Promise<Record<string, unknown>[]>;
  /** kill -9 of all its processes, and wait until they are gone. */
  kill(): Promise<void>;
  /** Starts it again on the same port, over the same data, perhaps with further settings. */
  restart(settings?: PostgresSettings): Promise<void>;
  /** Holds all its processes up without ending them, and lets them go on. */
  pause(): void;
  resume(): void;
  /** An orderly end: connections are cut, what is committed is on disk. */
  stop(): Promise<void>;
  /** From now on it lets nobody in, and ends when the last connection is closed. */
  stopWhenUnused(): void;
  /**
   * A second server that has everything that is committed here, from now on also before it is answered: the copy of a fail-over. It is
   * ended like this one.
   */
  startReplica(): Promise<PostgresServer>;
  /** Makes a server of its own of a replica. */
  promote(): Promise<void>;
  /** At once, and nothing of it stays; it is not started again. */
  end(): Promise<void>;
}

/** It is ended with the test that starts it, or with the file, when no test runs yet. */
export async function startPostgres(settings: PostgresSettings = {}): Promise<PostgresServer> {
  const binaries = findPostgres();
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-postgres-'));
  const data = join(folder, 'data');
  initialize(binaries, folder, data);
  return launched(binaries, data, settings);
}

async function launched(binaries: PostgresBinaries, data: string, settings: PostgresSettings): Promise<PostgresServer> {
  const server = new LaunchedPostgres(binaries, data);
  closeAtEnd(() => server.end());
  await server.start(settings);
  return server;
}

function initialize({ folder: programs, owner }: PostgresBinaries, folder: string, data: string): void {
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, POSTGRES_PASSWORD);
  mkdirSync(data);
  owner?.own([folder, passwordFile, data]);
  const words = ['--username', USER, '--auth', 'scram-sha-256', '--pwfile', passwordFile, '--encoding', 'UTF8'];
  try {
    execFileSync(join(programs, 'bin/initdb'), ['--pgdata', data, ...words, '--locale', 'C', '--no-sync'], {
      ...owner?.ids,
      cwd: data,
      env: { PATH: process.env.PATH },
      stdio: 'pipe',
    });
  } catch (error) {
    throw new Error(`these tests need a real PostgreSQL, and its folder was not made: ${String(error)}`);
  }
}

class LaunchedPostgres implements PostgresServer {
  readonly #binaries: PostgresBinaries;
  readonly folder: string;
  #child: ChildProcess | undefined;
  #databases = 0;
  port = 0;

  constructor(binaries: PostgresBinaries, data: string) {
    this.#binaries = binaries;
    this.folder = data;
  }

  get url(): string {
    return this.urlOf('postgres');
  }

  urlOf(database: string, user = USER, password = POSTGRES_PASSWORD): string {
    return `postgres://${user}:${encodeURIComponent(password)}@${HOST}:${this.port}/${database}`;
  }

  async start(settings: PostgresSettings): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      this.port = await freePort();
      try {
        return await this.#launch(settings);
      } catch (error) {
        // Somebody else may have taken the port meanwhile.
        if (attempt === ATTEMPTS) throw error;
      }
    }
  }

  async #launch(settings: PostgresSettings): Promise<void> {
    const { folder, owner } = this.#binaries;
    const words = Object.entries({ ...SMALL, port: `${this.port}`, ...settings }).map(
      ([name, value]) => `-c${name}=${value}`,
    );
    this.#child = await launchServer({
      program: join(folder, 'bin/postgres'),
      args: ['-D', this.folder, ...words],
      env: { PATH: process.env.PATH },
      folder: this.folder,
      port: this.port,
      readyText: 'ready to accept',
      ids: owner?.ids,
      lastSignal: 'SIGQUIT',
    });
  }

  async newDatabase(): Promise<string> {
    this.#databases += 1;
    const name = `test_${this.#databases}`;
    await this.query(`CREATE DATABASE ${name}`);
    return this.urlOf(name);
  }

  async query(text: string, url = this.url): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    try {
      const { rows } = await client.query(text);
      return rows;
    } finally {
      await client.end();
    }
  }

  /** At once, and nothing of it stays, neither in the memory that processes share nor on the disk. */
  async end(): Promise<void> {
    this.resume();
    await this.#endBy('SIGQUIT');
    await rm(dirname(this.folder), { recursive: true, force: true });
  }

  stop(): Promise<void> {
    return this.#endBy('SIGINT');
  }

  async #endBy(name: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(name);
    await gone;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const others = childrenOf(child.pid);
    const gone = once(child, 'exit');
    // The first of them would start new ones.
    child.kill('SIGKILL');
    for (const pid of others) signal(pid, 'SIGKILL');
    await gone;
    while (processes().some(({ pid }) => others.includes(pid))) await sleep(5);
  }

  async restart(settings: PostgresSettings = {}): Promise<void> {
    // Meanwhile somebody's outgoing connection may have been given this very port, for a moment.
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#launch(settings);
      } catch (error) {
        if (attempt === ATTEMPTS) throw error;
        await sleep(500);
      }
    }
  }

  pause(): void {
    this.#signalAll('SIGSTOP');
  }

  resume(): void {
    this.#signalAll('SIGCONT');
  }

  #signalAll(name: NodeJS.Signals): void {
    const { pid } = this.#child ?? {};
    if (pid === undefined) return;
    for (const each of [pid, ...childrenOf(pid)]) signal(each, name);
  }

  stopWhenUnused(): void {
    this.#child?.kill('SIGTERM');
  }

  async startReplica(): Promise<PostgresServer> {
    const { owner } = this.#binaries;
    const folder = await copyForReplica({ url: this.url, folder: this.folder, owner });
    const replica = await launched(this.#binaries, folder, {});
    await this.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await this.query('SELECT pg_reload_conf()');
    await this.#until("SELECT count(*) > 0 AS holds FROM pg_stat_replication WHERE sync_state = 'sync'");
    return replica;
  }

  async promote(): Promise<void> {
    await this.query('SELECT pg_promote()');
    await this.#until('SELECT NOT pg_is_in_recovery() AS holds');
  }

  async #until(question: string): Promise<void> {
    const deadlineMs = performance.now() + READY_WITHIN_MS;
    while ((await this.query(question))[0]?.holds !== true) {
      if (performance.now() > deadlineMs) throw new Error(`after ${READY_WITHIN_MS} ms still not: ${question}`);
      await sleep(20);
    }
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone already.
  }
}

/** PostgreSQL serves each connection by a process of its own. */
const childrenOf = (parent: number | undefined): number[] =>
  processes()
    .filter((each) => each.parent === parent)
    .map(({ pid }) => pid);

interface Process {
  readonly pid: number;
  readonly parent: number;
}

/** Those that run. One that has ended is there until somebody asks how it ended, which may take seconds. */
function processes(): Process[] {
  const lines = process.platform === 'linux' ? linuxProcesses() : askedProcesses();
  return lines.flatMap((line) => {
    const [, pid, state, parent] = /^\s*(\d+) (?:\(.*\) )?(\S)\S* +(\d+)/s.exec(line) ?? [];
    return state === undefined || state === 'Z' ? [] : [{ pid: Number(pid), parent: Number(parent) }];
  });
}

/** There is not always a program that lists them. */
const linuxProcesses = (): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/stat`, 'utf8');
      } catch {
        return '';
      }
    });

const askedProcesses = (): string[] =>
  execFileSync('ps', ['-axo', 'pid=,stat=,ppid='], { encoding: 'utf8' }).split('\n');
