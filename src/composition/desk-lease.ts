// Who owns the desk, where several processes share a PostgreSQL: the one that holds the lease trades, and the others stand by.

import { networkInterfaces } from 'node:os';
import { type Config, ConfigError } from '../config.ts';
import type { BridgeTarget } from '../http/connection-bridge.ts';
import type { Log } from '../http/log.ts';
import { foregroundTimers } from '../timing/timers.ts';
import { wait } from '../timing/wait.ts';
import { withTimeout } from '../timing/with-timeout.ts';
import { DESK_LEASE, LATE_AT_MOST_MS, LEASE_MS, type Lease, type LeaseHolder, type Leases } from '../trading/leases.ts';
import { monotonicMs } from './clocks.ts';
import { DeskDoor } from './desk-door.ts';
import { changesSince, faultsAfterCrash, faultsBeside, termsOf } from './desk-terms.ts';
import { loadAhead } from './load-ahead.ts';
import { assertStartable } from './startable.ts';
import type { StopSignal } from './stop-signals.ts';
import type { Teardown } from './teardown.ts';
import { createTroubleLog } from './trouble-log.ts';
import { noteWhereRowsAre } from './where-rows-are.ts';

export interface OwnedDesk {
  readonly lease: Lease;
  readonly door: DeskDoor;
  /** What the last owner left is taken up: from now on a stop is a proper one. */
  settle(): void;
  /** Why this process cannot go on after its lease was lost. */
  lastWords(end: 'taken' | 'lost'): Promise<string>;
}

interface DeskParts {
  readonly config: Config;
  readonly log: Log;
  readonly stop: StopSignal;
  readonly teardown: Teardown;
  /** The terminal. */
  readonly print: (text: string) => void;
}

/** Whoever trades or runs deployments must be the only one who does. */
export const needsDesk = ({ databaseUrl, services }: Pick<Config, 'databaseUrl' | 'services'>): boolean =>
  databaseUrl !== undefined && (services.includes('gateway') || services.includes('scripts'));

/** Stands by until the desk is this process's own; undefined where it is told to stop before. */
export async function ownDesk(parts: DeskParts): Promise<OwnedDesk | undefined> {
  const { config, log, stop, teardown, print } = parts;
  await assertStartable(config);
  await loadAhead(config);
  const terms = await termsOf(config);
  const { openLeases } = await import('../adapters/storage/postgres/leases.ts');
  const logTrouble = createTroubleLog(log, monotonicMs);
  const onTrouble = (error: Error): void => logTrouble('error', 'who owns the desk is not known', error);
  const leases = await openLeases({ url: config.databaseUrl as string, onTrouble });
  teardown.add(() => leases.close());
  // Also for one that only stands by: it must not begin with empty books either.
  await noteWhereRowsAre(config.dataDir, config.databaseUrl as string);
  const owner = new DeskOwner(leases);
  teardown.add(() => owner.stop());
  const mayHandOn = config.internalToken !== undefined;
  const door = await DeskDoor.open({ config, log, owner: () => (mayHandOn ? owner.target(address) : undefined) });
  owner.onChange = () => door.turn();
  const address = config.processUrl ?? addressOf(config.host, door.port);
  teardown.add(() => door.stop(config.drainTimeoutMs));
  const given = new AbortController();
  void stop.whenReceived.then(() => given.abort());
  const claimed = leases.claim(DESK_LEASE, { address, stop: given.signal });
  // One that died a moment ago still holds it.
  const first = await withTimeout(claimed, LEASE_MS + MARGIN_MS, () => 'taken' as const, foregroundTimers);
  const stoodBy = first === 'taken';
  let agreed: string | undefined;
  if (stoodBy) {
    try {
      if (!mayHandOn) throw taken(owner.holder);
      if (owner.holder?.address === address) throw sameAddress(address);
      agreed = await assertAlike({ config, leases, owner, stop: given.signal });
    } catch (error) {
      given.abort();
      await (await claimed)?.giveBack();
      throw error;
    }
    print(standingBy(door.url, owner.holder));
  }
  const lease = await claimed;
  if (lease === undefined) return undefined;
  let isSettled = false;
  // Before that a crash of the last owner must not be forgotten, or nobody would guard against what is sent again.
  teardown.add(() => (isSettled ? lease.release() : lease.giveBack()));
  await assertMayFollow({ config, log, leases, stoodBy, agreed, wasReleased: lease.wasReleased });
  await insistently(() => leases.tell(lease, terms));
  log.info({ token: lease.token }, 'this process owns the desk');
  const settle = (): void => {
    isSettled = true;
  };
  return { lease, door, settle, lastWords: (end) => lastWords(end, config.databaseUrl as string) };
}

interface AlikeParts extends Pick<DeskParts, 'config'> {
  readonly leases: Leases;
  readonly owner: DeskOwner;
  readonly stop: AbortSignal;
}

/** An owner that has just begun tells its terms a moment later; one of an older version tells none. */
const TOLD_WITHIN_MS = 3000;
const LOOK_EVERY_MS = 250;

/** Before it says that it stands by: what differs from the owner's settings would differ after a take-over. */
async function assertAlike({ config, leases, owner, stop }: AlikeParts): Promise<string | undefined> {
  const untilMs = monotonicMs() + TOLD_WITHIN_MS;
  while (!stop.aborted && monotonicMs() < untilMs) {
    const told = await leases.told(DESK_LEASE).catch(() => undefined);
    if (told !== undefined && told.token === owner.holder?.token) {
      throwAny(await faultsBeside(config, told.text));
      return told.text;
    }
    await wait(LOOK_EVERY_MS, { stop, timers: foregroundTimers });
  }
  return undefined;
}

interface FollowParts extends Pick<DeskParts, 'config' | 'log'> {
  readonly leases: Leases;
  readonly stoodBy: boolean;
  /** What was compared when it began to stand by. */
  readonly agreed: string | undefined;
  readonly wasReleased: boolean;
}

/** After an owner that was stopped properly a start, but no take-over, may begin with other settings. */
async function assertMayFollow({ config, log, leases, stoodBy, agreed, wasReleased }: FollowParts): Promise<void> {
  const told = await insistently(() => leases.told(DESK_LEASE));
  // Signals wait, and to compare secrets takes a while.
  if (told === undefined || told.text === agreed) return;
  if (stoodBy) throwAny(await faultsBeside(config, told.text));
  else if (!wasReleased) throwAny(faultsAfterCrash(config, told.text));
  for (const words of changesSince(config, told.text)) log.warn({}, words);
}

const TRIES = 4;

/** A connection that was cut, or is long in answering, must not cost the take-over. */
async function insistently<T>(ask: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left -= 1)
    try {
      return await ask();
    } catch (error) {
      if (left === 1) throw error;
      await wait(LOOK_EVERY_MS, { timers: foregroundTimers });
    }
}

function throwAny(faults: readonly string[]): void {
  if (faults.length > 0) throw new ConfigError(faults);
}

export const DESK_IS_TAKEN = 'the desk belongs to another process now';

/** By now nobody could say who has the lease for longer than PostgreSQL needs to start. */
async function lastWords(end: 'taken' | 'lost', databaseUrl: string): Promise<string> {
  if (end === 'taken') return DESK_IS_TAKEN;
  const { readPostgresAddress } = await import('../adapters/storage/postgres/postgres-address.ts');
  return (
    `the lease of the desk has run out: PostgreSQL at ${readPostgresAddress(databaseUrl).where} was away for ` +
    `${(LEASE_MS + LATE_AT_MOST_MS) / 1000} s, or this process was held up; another one may own the desk by now`
  );
}

const MARGIN_MS = 1500;

const taken = (holder: LeaseHolder | undefined): Error =>
  new Error(
    `Another Signalbox${holder ? `, at ${holder.address},` : ''} trades on the database of DATABASE_URL, so this one was not started. ` +
      'To let this one stand by for it and pass requests on to it meanwhile, set INTERNAL_TOKEN to the same on both.',
  );

const sameAddress = (address: string): Error =>
  new Error(
    `Another Signalbox trades on the database of DATABASE_URL and says that it is reached at ${address}, which is the address of this ` +
      'one too, so nothing could be passed on. Set PROCESS_URL on both, each to where the other one reaches it.',
  );

const standingBy = (url: string, holder: LeaseHolder | undefined): string =>
  `\n  Signalbox stands by at ${url}: ${holder?.address ?? 'another process'} trades, and gets what comes in here.\n\n`;

/** Follows who owns the desk. */
class DeskOwner {
  holder: LeaseHolder | undefined;
  /** Somebody else has it. */
  onChange: () => void = () => {};
  readonly stop: () => void;

  constructor(leases: Leases) {
    this.stop = leases.watch(DESK_LEASE, (holder) => {
      const isOther = holder !== undefined && holder.token !== this.holder?.token;
      this.holder = holder;
      if (isOther) this.onChange();
    });
  }

  /** Nobody where that is this very process: in an earlier life, or just now, before it serves itself. */
  target(ownAddress: string): BridgeTarget | undefined {
    const url = this.holder?.address === ownAddress ? null : URL.parse(this.holder?.address ?? '');
    return url === null ? undefined : { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 80) };
  }
}

/** Where other machines reach a process that listens on all its addresses, or on this one. */
export function addressOf(host: string, port: number): string {
  const isAny = host === '0.0.0.0' || host === '::';
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  const own = isAny ? (outside ?? '127.0.0.1') : host;
  return `http://${own.includes(':') ? `[${own}]` : own}:${port}`;
}
