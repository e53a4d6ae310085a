// Who owns the desk, where several processes share a PostgreSQL: the one that holds the lease trades, and the others stand by.

import { networkInterfaces } from 'node:os';
import { lockDataDir } from '../adapters/storage/sqlite/instance-lock.ts';
import type { Config } from '../config.ts';
import type { Log } from '../http/log.ts';
import type { ProxyTarget } from '../http/reverse-proxy.ts';
import { foregroundTimers } from '../timing/timers.ts';
import { withTimeout } from '../timing/with-timeout.ts';
import { DESK_LEASE, LEASE_MS, type Lease, type LeaseHolder, type Leases } from '../trading/leases.ts';
import { monotonicMs } from './clocks.ts';
import { DeskDoor } from './desk-door.ts';
import { loadAhead } from './load-ahead.ts';
import type { StopSignal } from './stop-signals.ts';
import { assertRowsThere } from './storage.ts';
import type { Teardown } from './teardown.ts';
import { createTroubleLog } from './trouble-log.ts';
import { assertRowsWhereTheyWere, noteWhereRowsAre } from './where-rows-are.ts';

export interface OwnedDesk {
  readonly lease: Lease;
  readonly door: DeskDoor;
  /** What the last owner left is taken up: from now on a stop is a proper one. */
  settle(): void;
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

/** Told at once, and not when it is this process's turn. */
async function assertStartable(config: Config): Promise<void> {
  assertRowsWhereTheyWere(config);
  await assertRowsThere(config);
  // Whoever stands by has a folder of its own.
  lockDataDir(config.dataDir).release();
}

/** Stands by until the desk is this process's own; undefined where it is told to stop before. */
export async function ownDesk(parts: DeskParts): Promise<OwnedDesk | undefined> {
  const { config, log, stop, teardown, print } = parts;
  await assertStartable(config);
  await loadAhead(config);
  const { openLeases } = await import('../adapters/storage/postgres/leases.ts');
  const logTrouble = createTroubleLog(log, monotonicMs);
  const onTrouble = (error: Error): void => logTrouble('error', 'who owns the desk is not known', error);
  const leases = await openLeases({ url: config.databaseUrl as string, onTrouble });
  teardown.add(() => leases.close());
  // Also for one that only stands by: it must not begin with empty books either.
  await noteWhereRowsAre(config.dataDir, config.databaseUrl as string);
  const owner = new DeskOwner(leases);
  teardown.add(() => owner.stop());
  const mayPassOn = config.internalToken !== undefined;
  const door = await DeskDoor.open({ config, log, owner: () => (mayPassOn ? owner.target(address) : undefined) });
  owner.onChange = () => door.cutPassedOn();
  const address = config.processUrl ?? addressOf(config.host, door.port);
  teardown.add(() => door.stop(config.drainTimeoutMs));
  const given = new AbortController();
  void stop.whenReceived.then(() => given.abort());
  const claimed = leases.claim(DESK_LEASE, { address, stop: given.signal });
  // One that died a moment ago still holds it.
  const first = await withTimeout(claimed, LEASE_MS + MARGIN_MS, () => 'taken' as const, foregroundTimers);
  if (first === 'taken') {
    if (!mayPassOn) {
      given.abort();
      throw taken(owner.holder);
    }
    if (owner.holder?.address === address) {
      given.abort();
      throw sameAddress(address);
    }
    print(standingBy(door.url, owner.holder));
  }
  const lease = await claimed;
  if (lease === undefined) return undefined;
  let isSettled = false;
  // Before that a crash of the last owner must not be forgotten, or nobody would guard against what is sent again.
  teardown.add(() => (isSettled ? lease.release() : lease.giveBack()));
  log.info({ token: lease.token }, 'this process owns the desk');
  const settle = (): void => {
    isSettled = true;
  };
  return { lease, door, settle };
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
  target(ownAddress: string): ProxyTarget | undefined {
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
