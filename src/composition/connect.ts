// How a command reaches Signalbox: over HTTP where one runs, else through the same routes over the data folder.

import { isDataFolder } from '../adapters/storage/sqlite/find-instance.ts';
import { FolderTakenError, lockDataDir } from '../adapters/storage/sqlite/instance-lock.ts';
import { connectOverHttp, connectThrough } from '../cli/connect.ts';
import type { Connection, ConnectOptions } from '../cli/host.ts';
import type { Config } from '../config.ts';
import { createLog } from '../http/log.ts';
import { holderAddress } from './holder-address.ts';
import { noInstance } from './no-instance.ts';
import { readConfig } from './read-config.ts';
import { assertInstanceThere, findDeskOwner } from './storage.ts';

const OWNER_AWAY =
  'it owned the desk a moment ago; where another process stands by, that takes over within ten seconds: try again then';

export async function connect(options: ConnectOptions): Promise<Connection> {
  const config = readConfig(options.dataDir === undefined ? {} : { DATA_DIR: options.dataDir });
  const token = options.token ?? config.internalToken;
  if (options.url !== undefined) return connectOverHttp(options.url, token);
  // Before anything is opened: to lock a folder makes it, and a command must not.
  if (!isDataFolder(config.dataDir)) throw noInstance(config.dataDir);
  try {
    // Only to see whether it is free: a command beside a running instance loads nothing more.
    lockDataDir(config.dataDir).release();
  } catch (error) {
    if (!(error instanceof FolderTakenError)) throw error;
    // An instance holds the lock; its note (instance.json) says where it listens.
    return connectOverHttp(await holderAddress(config.dataDir), token);
  }
  await assertInstanceThere(config);
  // The one that trades may be on another machine.
  const owner = await findDeskOwner(config);
  if (owner !== undefined) return connectOverHttp(owner, token, { whenAway: OWNER_AWAY });
  return connectInProcess(config);
}

/** What trades needs an instance that runs; so does a stop that is changed, because it is compared with the market. */
const TRADING_PATHS = ['/webhook', '/email-signal', '/positions/'];
const READS = ['GET', 'HEAD'];

/** No instance runs: the same routes, served here over the data folder. Only trading needs the real thing. */
async function connectInProcess(config: Config): Promise<Connection> {
  const { build } = await import('./build.ts');
  const built = await build(config, createLog({ level: 'silent', name: 'signalbox' }), { trade: false });
  return connectThrough(
    (path, init) => {
      if (!READS.includes(init.method ?? 'GET') && TRADING_PATHS.some((begin) => path.startsWith(begin)))
        throw new Error('Signalbox is not running, so nothing can be traded; start it with "signalbox start"');
      return built.app.request(path, init, { peer: '127.0.0.1' });
    },
    `data folder ${config.dataDir} (Signalbox is not running)`,
    config.internalToken,
    { running: false, close: built.tearDown },
  );
}
