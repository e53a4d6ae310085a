// `signalbox start`: builds the services, listens, greets, and stops in reverse order when it is told to or cannot start.

import { writeSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { listDatabases, openDatabases } from '../adapters/storage/sqlite/folder-databases.ts';
import { greetingText } from '../cli/greeting.ts';
import type { Config } from '../config.ts';
import { createLog, type Log } from '../http/log.ts';
import { nodeListener } from '../http/node-listener.ts';
import { listen } from '../http/server.ts';
import { SerialQueue } from '../timing/serial-queue.ts';
import { backgroundTimers } from '../timing/timers.ts';
import { wait } from '../timing/wait.ts';
import { withTimeout } from '../timing/with-timeout.ts';
import { isAccountAlarm } from './account-alarms.ts';
import { type Built, build } from './build.ts';
import { nowMs } from './clocks.ts';
import type { DeskDoor } from './desk-door.ts';
import { needsDesk, type OwnedDesk, ownDesk } from './desk-lease.ts';
import { listenForMail } from './mail.ts';
import { readConfig } from './read-config.ts';
import { ScheduledBackups } from './scheduled-backups.ts';
import { type StopSignal, watchStopSignals } from './stop-signals.ts';
import { createTeardown, type Teardown } from './teardown.ts';
import { VERSION } from './version.ts';

/** A step of the start that hangs when it is told to stop is left behind after this long. */
const START_STOP_MS = 5000;
/** Whatever still holds the process when everything is closed gets so long, and then the process ends all the same. */
const LAST_EXIT_MS = 1000;

/**
 * How much the heap may grow before V8 looks through all of it, while signals wait. By itself V8 would do so at a third
 * more, and it counts the bytes that are passed on to the script process: once for every run of 20,000 bars. With three
 * times the heap it is once in seven runs, which more than halves what such a run costs the trading process.
 */
const HEAP_GROWTH_PERCENT = 200;

/**
 * Whether the start succeeds, fails or is told to stop half-way, this returns or throws with everything closed, and the
 * process ends then: one that stayed behind would say that it is healthy and refuse every signal.
 */
export async function start(): Promise<number> {
  // From the first moment: a signal that comes during the start must end it properly too.
  const stop = watchStopSignals();
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  const config = readConfig();
  const log = createLog({ level: config.logLevel, name: 'signalbox' });
  for (const warning of config.warnings) log.warn({}, warning);
  const teardown = createTeardown();
  let isStopped = false;
  try {
    await serve({ config, log, stop, teardown });
    isStopped = true;
  } finally {
    await closeAll(teardown, config, log);
    // Why a start failed is told last, by whoever called this; it was no stop.
    if (isStopped) log.info({}, 'stopped');
    await log.close();
    // Unreferenced: a process with nothing left to do does not wait for it. The exit code is set by then.
    setTimeout(() => process.exit(), LAST_EXIT_MS).unref();
  }
  return 0;
}

interface ServeParts {
  readonly config: Config;
  readonly log: Log;
  readonly stop: StopSignal;
  readonly teardown: Teardown;
}

interface BeginParts extends ServeParts {
  /** Undefined where nobody else can own it. */
  readonly desk: OwnedDesk | undefined;
}

/** Another process trades by now: whatever this one still does by what it remembers is wrong. */
async function endIfLost({ lease, lastWords }: OwnedDesk, log: Log): Promise<void> {
  const end = await lease.ended;
  if (end === 'released') return;
  log.error({}, `${await lastWords(end)}; ending, so that whoever runs Signalbox starts it again`);
  void log.close().finally(() => process.exit(1));
}

/** Every step that opens something says at once how it is closed; a signal is looked at between the steps. */
async function serve({ config, log, stop, teardown }: ServeParts): Promise<void> {
  let hasBegun = false;
  void stop.whenReceived.then(async (signal) => {
    if (!hasBegun) log.info({ signal }, 'stopping: the start is given up');
    await wait(START_STOP_MS, { timers: backgroundTimers });
    // Looked at again now, not only when the signal came: what has begun is finished first.
    if (!hasBegun) process.exit(0);
  });
  const desk = needsDesk(config) ? await ownDesk({ config, log, stop, teardown, print }) : undefined;
  // What is handed on is finished like what is served.
  hasBegun = desk === undefined && needsDesk(config);
  if (stop.received()) return;
  // As long as it has it.
  if (desk) void endIfLost(desk, log);
  const built = await build(config, log, { trade: true, lease: desk?.lease });
  teardown.add(() => built.tearDown());
  if (stop.received()) return;
  hasBegun = true;
  // A step that hangs after the signal is left behind, and everything is closed properly all the same.
  const givenUp = stop.whenReceived.then(() => wait(START_STOP_MS, { timers: backgroundTimers }));
  await Promise.race([beginServing({ config, log, stop, teardown, desk }, built), givenUp]);
  const signal = await stop.whenReceived;
  built.gateway?.telegram?.deafen();
  log.info({ signal }, 'stopping: finishing what was begun');
}

/** From its first step on trades are executed: unfinished ones of the last run first, then what comes in. */
async function beginServing({ config, log, stop, teardown, desk }: BeginParts, built: Built): Promise<void> {
  const { gateway, scripts, lock } = built;
  const foundCrash = desk === undefined ? lock.foundCrash : !desk.lease.wasReleased;
  const recovered = (await gateway?.desk.start({ afterCrash: foundCrash })) ?? 0;
  if (recovered > 0) log.info({ recovered }, 'took up unfinished trades');
  desk?.settle();
  await gateway?.wallet?.start();
  if (stop.received()) return;
  // Before the doors open: whoever dies with signals accepted must have left its note, or nobody knows of the crash.
  const note = keepNote(config.dataDir, built);
  await note.write();
  // When the doors are closed again and before the databases are: from here on their logs may be gone at any moment.
  teardown.add(() => note.close());
  const { url, mailAddress } = await openDoors(built, { config, log, teardown, door: desk?.door });
  if (stop.received()) return;
  // It has databases of its own, which it makes when it first needs them.
  scripts?.onReady(() => void note.write(url).catch((error) => log.error({ err: error }, 'the note was not written')));
  await scripts?.firstStart;
  if (stop.received()) return;
  // Behind those that were written meanwhile: nothing is written any more when the greeting is out.
  await note.write(url);
  await greet(url, config, built, mailAddress);
  gateway?.telegram?.listen(gateway.chatParts);
  gateway?.dailyReports?.start();
  startBackups({ config, log, teardown }, built);
  if (foundCrash) built.alarms.raise('crash', 'Signalbox runs again; it was not stopped properly.');
}

/** Where the settings ask for them. One that is being made when the process stops goes on by itself. */
function startBackups({ config, log, teardown }: Omit<ServeParts, 'stop'>, { alarms, backups }: Built): void {
  const { everyMs, keep } = config.backup;
  if (everyMs === undefined || backups === undefined) return;
  const parts = { everyMs, folder: backups.folder, keep, make: () => backups.make(), alarms, log, nowMs };
  const scheduled = new ScheduledBackups({ ...parts, timers: backgroundTimers });
  teardown.add(() => scheduled.stop());
  scheduled.start();
  void scheduled.look();
}

/** The note of who is here and which databases are open, for the command line and for the start after a crash. */
function keepNote(dataDir: string, { lock, gateway, scripts }: Built) {
  const { pid } = process;
  const writes = new SerialQueue();
  let isClosed = false;
  const write = async (url: string | undefined): Promise<void> => {
    if (isClosed) return;
    // Each database commits once, so that its log is not empty from here on: an empty one is not missed after a crash.
    const probes = Object.values({ ...gateway?.probes, ...scripts?.probes() });
    await Promise.allSettled(probes.map(async (probe) => probe()));
    await listDatabases(dataDir);
    await lock.announce({ pid, ...(url === undefined ? {} : { url }), open: openDatabases(dataDir) });
  };
  return {
    /** Notes are written one after another, so that the newest state is the one on disk. */
    write: (url?: string): Promise<void> => writes.run(() => write(url)),
    async close(): Promise<void> {
      isClosed = true;
      await writes.idle();
      await lock.announce({ pid });
    },
  };
}

interface DoorParts extends Pick<ServeParts, 'config' | 'log' | 'teardown'> {
  /** That listens already. */
  readonly door: DeskDoor | undefined;
}

async function openDoors(built: Built, { config, log, teardown, door }: DoorParts) {
  const { gateway, app, scripts, sockets } = built;
  const { host, port, drainTimeoutMs } = config;
  const trading = nodeListener(app);
  const listener = scripts?.doors.inFrontOf(trading) ?? trading;
  door?.serveHere(listener, sockets);
  const server = door ?? (await listen({ listener, sockets, host, port }));
  let stopMail: ((drainMs: number) => Promise<unknown>) | undefined;
  // Side by side: each may take the whole time.
  teardown.add(() =>
    Promise.all([stopMail?.(drainTimeoutMs), server.stop(drainTimeoutMs), scripts?.closeDoors(drainTimeoutMs)]),
  );
  const mail = gateway && (await listenForMail(config, gateway, log));
  if (mail) stopMail = (drainMs) => mail.stop(drainMs);
  return { url: server.url, mailAddress: mail?.address };
}

/** A step that hangs does not keep the process; a step that fails is told, and does not hide why the start failed. */
async function closeAll(teardown: Teardown, { drainTimeoutMs }: Config, log: Log): Promise<void> {
  const closed = teardown.run().catch((error: unknown) => log.error({ err: error }, 'not everything could be closed'));
  const limitMs = 3 * drainTimeoutMs + START_STOP_MS;
  await withTimeout(closed, limitMs, () => {}, backgroundTimers);
}

/** The first start makes a key and shows it once; later starts only tell where to find things. */
async function greet(
  url: string,
  config: Config,
  { gateway, scripts, alarms }: Built,
  mailAddress?: string,
): Promise<void> {
  const { dataDir, services, marketData: prices } = config;
  const usable = gateway?.keys.list().filter((key) => key.revokedAtMs === undefined) ?? [];
  const newKey = usable.length === 0 ? (await gateway?.keys.create({ label: 'default' }))?.apiKey : undefined;
  const webhookKeys = gateway && { newKey, inUse: usable.length };
  // Whoever starts a second instance, scripts that cannot start, or an account that is shut, looks here and nowhere else.
  const raised = alarms
    .current()
    .flatMap(({ kind, text }) => (isAccountAlarm(kind) || scripts?.isAlarm(kind) ? [text] : []));
  const { accounts, off, advice } = gateway?.greeted() ?? { accounts: [], off: [], advice: [] };
  const about = { version: VERSION, url, dataDir, prices, accounts, off, services };
  print(greetingText({ ...about, webhookKeys, mailAddress, warnings: [...raised, ...advice] }));
}

/** A log file on a full disk must not cost the owner the key, which is shown only now, and is no failure of the server. */
function print(text: string): void {
  try {
    for (let left = Buffer.from(text); left.length > 0; ) left = left.subarray(writeSync(process.stdout.fd, left));
  } catch {
    process.stderr.write(text);
  }
}
