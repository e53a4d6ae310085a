// The entry: runs the command line over the real world; `start` builds the services, listens, and stops in reverse order.

import { randomUUID } from 'node:crypto';
import { readInstanceNote } from './adapters/storage/sqlite/instance-lock.ts';
import { connectOverHttp, connectThrough } from './cli/connect.ts';
import { greetingText } from './cli/greeting.ts';
import type { Connection, ConnectOptions, ScriptLimits } from './cli/host.ts';
import { runCli } from './cli/index.ts';
import { openTerminal } from './cli/terminal.ts';
import { type Built, build } from './composition/build.ts';
import { openAnalysisKeys, openScriptKeys } from './composition/commands.ts';
import { doctor } from './composition/doctor.ts';
import { listenForMail } from './composition/mail.ts';
import { readConfig } from './composition/read-config.ts';
import { VERSION } from './composition/version.ts';
import { walletHost } from './composition/wallet-commands.ts';
import type { Config } from './config.ts';
import { nodeListener } from './http/door.ts';
import { createLog, type Log } from './http/log.ts';
import { listen } from './http/server.ts';
import type { ScriptRunner } from './library/script-runner.ts';
import { StorageError } from './trading/storage-error.ts';

async function start(): Promise<number> {
  // From the first moment: a signal that comes during the start must end it properly too.
  const stopping = stopSignal();
  const config = readConfig();
  const log = createLog({ level: config.logLevel, name: 'signalbox' });
  for (const warning of config.warnings) log.warn({}, warning);
  const built = await build(config, log, { trade: true });
  try {
    await serveUntil(stopping, built, config, log);
  } finally {
    await built.tearDown();
    log.info({}, 'stopped');
    await log.close();
  }
  return 0;
}

async function serveUntil(stopping: Promise<string>, built: Built, config: Config, log: Log): Promise<void> {
  const { gateway, lock } = built;
  const recovered = (await gateway?.desk.start({ afterCrash: lock.foundCrash })) ?? 0;
  if (recovered > 0) log.info({ recovered }, 'took up unfinished trades');
  await gateway?.wallet?.start();
  const server = await listen({
    listener: nodeListener(built),
    fastLane: built,
    sockets: built.sockets,
    host: config.host,
    port: config.port,
  });
  const mail =
    gateway &&
    (await listenForMail(config, gateway.mailReceiver, log).catch(async (error) => {
      await server.stop(0);
      throw error;
    }));
  await built.start();
  lock.announce({ pid: process.pid, url: server.url });
  greet(server.url, config, built, mail?.address);
  gateway?.telegram?.listen(gateway.chatParts);
  if (lock.foundCrash) gateway?.telegram?.onAlarm('crash', 'Signalbox runs again; it was not stopped properly.');
  const signal = await stopping;
  gateway?.telegram?.deafen();
  log.info({ signal }, 'stopping: finishing what was begun');
  await Promise.all([mail?.stop(config.drainTimeoutMs), server.stop(config.drainTimeoutMs)]);
}

/** The handlers stay: npm and a terminal may send the same signal twice, and the second must not cut the drain short. */
const stopSignal = (): Promise<string> =>
  new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, resolve);
  });

/** The first start makes a key and shows it once; later starts only tell where to find things. */
function greet(url: string, { dataDir, services, marketData }: Config, { gateway }: Built, mailAddress?: string): void {
  const usable = gateway?.keys.list().filter((key) => key.revokedAtMs === undefined) ?? [];
  const newKey = usable.length === 0 ? gateway?.keys.create({ label: 'default' }).apiKey : undefined;
  const webhookKeys = gateway && { newKey, inUse: usable.length };
  const where = { version: VERSION, url, dataDir, prices: marketData, services, webhookKeys, mailAddress };
  process.stdout.write(greetingText(where));
}

async function connect(options: ConnectOptions): Promise<Connection> {
  const config = readConfig(options.dataDir === undefined ? {} : { DATA_DIR: options.dataDir });
  const token = options.token ?? config.internalToken;
  if (options.url !== undefined) return connectOverHttp(options.url, token);
  const running = readInstanceNote(config.dataDir)?.url;
  try {
    return await connectInProcess(config);
  } catch (error) {
    // The folder is taken: whoever has it left its address.
    if (running !== undefined && error instanceof StorageError) return connectOverHttp(running, token);
    throw error;
  }
}

/** No instance runs: the same routes, served here over the data folder. Only trading needs the real thing. */
async function connectInProcess(config: Config): Promise<Connection> {
  const built = await build(config, createLog({ level: 'silent', name: 'signalbox' }), { trade: false });
  return connectThrough(
    (path, init) => {
      if (path.startsWith('/webhook') || path.startsWith('/email-signal')) {
        throw new Error('Signalbox is not running, so nothing can be traded; start it with "signalbox start"');
      }
      return built.app.request(path, init, { peer: '127.0.0.1' });
    },
    `data folder ${config.dataDir} (Signalbox is not running)`,
    config.internalToken,
    built.tearDown,
  );
}

/** Loaded only where a script runs, in a thread of its own. */
async function openScripts(limits: ScriptLimits): Promise<ScriptRunner> {
  const { createScriptPool } = await import('./adapters/scripts/script-pool.ts');
  return createScriptPool({ ...limits, size: 1 });
}

async function main(): Promise<void> {
  // Trades and key digests are nobody else's business: every file made from here on is the owner's alone.
  process.umask(0o077);
  const onFault = (): void => {
    process.exitCode = 1;
  };
  const code = await runCli(process.argv.slice(2), {
    ...openTerminal(process.stdout, process.stderr, onFault),
    start,
    connect,
    doctor,
    env: process.env,
    openScripts,
    openAnalysisKeys,
    openScriptKeys,
    wallet: walletHost,
    newRunId: () => randomUUID(),
    version: VERSION,
  });
  process.exitCode = process.exitCode || code;
}

await main();
