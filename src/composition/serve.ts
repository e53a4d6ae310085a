// `signalbox start`: builds the services, listens, greets, and stops in reverse order when it is told to.

import { greetingText } from '../cli/greeting.ts';
import type { Config } from '../config.ts';
import { createLog, type Log } from '../http/log.ts';
import { nodeListener } from '../http/node-listener.ts';
import { listen } from '../http/server.ts';
import { type Built, build } from './build.ts';
import { putHelpersBehind } from './helper-threads.ts';
import { listenForMail } from './mail.ts';
import { readConfig } from './read-config.ts';
import { VERSION } from './version.ts';

export async function start(): Promise<number> {
  // From the first moment: a signal that comes during the start must end it properly too.
  const stopping = stopSignal();
  putHelpersBehind();
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
    listener: nodeListener(built.app),
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
  if (lock.foundCrash) built.alarms.raise('crash', 'Signalbox runs again; it was not stopped properly.');
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
