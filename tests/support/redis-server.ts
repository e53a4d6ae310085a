// A real Redis for tests: found on this machine or fetched for it, on a free port of its own, ended by its process id.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedis, type RedisBinary } from './find-redis.ts';
import { freePort, launchServer } from './launched-server.ts';

/** Fetching it the first time takes most of this. */
export const REDIS_START_TIMEOUT_MS = 240_000;
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
    async restart() {
      // Meanwhile somebody's outgoing connection may have been given this very port, for a moment.
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await launch();
        } catch (error) {
          if (attempt === ATTEMPTS) throw error;
          await new Promise((resolve) => setTimeout(resolve, 500));
        }
      }
    },
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
  return launchServer({
    program: path,
    args: [...plain, '--bind', HOST, '--daemonize', 'no', ...lasting, ...args],
    env: { PATH: process.env.PATH, ...(libraries === undefined ? {} : { LD_LIBRARY_PATH: libraries }) },
    port,
    readyText: 'Ready to accept connections',
  });
}
