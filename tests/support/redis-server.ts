// A real Redis for tests: found on this machine or fetched for it, on a free port of its own, ended by its process id.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedis, type RedisBinary } from './find-redis.ts';

/** Fetching it the first time takes most of this. */
export const REDIS_START_TIMEOUT_MS = 240_000;
const READY_TIMEOUT_MS = 15_000;
const ATTEMPTS = 5;
const HOST = '127.0.0.1';

export interface RedisServer {
  readonly port: number;
  readonly url: string;
  /** kill -9, and wait until it is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same port, over the same data. */
  restart(): Promise<void>;
  /** Holds it up without ending it, and lets it go on. */
  pause(): void;
  resume(): void;
}

/** `args` are further settings as redis-server takes them, such as `--requirepass`. Everything written is on disk at once. */
export async function startRedis(args: readonly string[] = []): Promise<RedisServer> {
  const binary = await findRedis();
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-redis-'));
  let port = 0;
  let child: ChildProcess | undefined;
  const launch = async (): Promise<void> => {
    child = await launchOn(binary, folder, port, args);
  };
  // Also when a test run is cut short: nothing of it stays behind.
  process.once('exit', () => child?.kill('SIGKILL'));
  for (let attempt = 1; ; attempt += 1) {
    port = await freePort();
    try {
      await launch();
      break;
    } catch (error) {
      // Somebody else may have taken the port meanwhile.
      if (attempt === ATTEMPTS) throw error;
    }
  }
  return {
    port,
    url: `redis://${HOST}:${port}`,
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
    restart: launch,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
  };
}

async function launchOn(
  { path, libraries }: RedisBinary,
  folder: string,
  port: number,
  args: readonly string[],
): Promise<ChildProcess> {
  const plain = args.includes('--tls-cert-file') ? ['--port', '0', '--tls-port', `${port}`] : ['--port', `${port}`];
  const lasting = ['--dir', folder, '--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];
  const child = spawn(path, [...plain, '--bind', HOST, '--daemonize', 'no', ...lasting, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...(libraries === undefined ? {} : { LD_LIBRARY_PATH: libraries }) },
  });
  let output = '';
  const collect = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-4000);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  child.on('error', (error) => collect(Buffer.from(error.message)));
  const deadlineMs = performance.now() + READY_TIMEOUT_MS;
  while (!output.includes('Ready to accept connections') || !(await isListening(port))) {
    if (child.exitCode !== null || performance.now() > deadlineMs) {
      child.kill('SIGKILL');
      throw new Error(`redis-server did not start on port ${port}:\n${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return child;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket: Socket = connect(port, HOST, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** A port nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port was found');
  return address.port;
}
