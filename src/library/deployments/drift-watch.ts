// Compares what a deployed strategy holds by its own books with what the gateway's books hold for it, again and again.
//
//   agrees ⇄ differs      told once per change: in the record, in the log, and as an alarm
//
// Between a fill and its trade the two differ by nature, so a difference counts when two looks in a row show the same.
//
// A strategy that is paused or has failed is compared as well, with what its script held last: its owner may close that by hand
// meanwhile, and its list must not show a position that is gone. It raises no alarm of drift. As long as the book of one that
// failed, or whose key has ended, holds a position, another alarm says that nobody runs its exits.

import { errorText } from '../../errors/error-text.ts';
import type { Deployment, LogEntry } from './deployment.ts';
import type { DeploymentStore } from './deployment-store.ts';
import { isTradingStrategy } from './held-position.ts';
import { sizeWords, strategyOf, type TradeTarget } from './order-signal.ts';
import type { DeploymentAlarms, DeploymentLog, StrategyBooks, Timers } from './ports.ts';
import { SIZE_TOLERANCE, toldPositionOf } from './told-position.ts';
import { createUnattendedAlarms } from './unattended-alarms.ts';

export interface DriftWatchParts {
  readonly store: Pick<DeploymentStore, 'all' | 'setDrift'>;
  readonly books: StrategyBooks;
  readonly timers: Timers;
  readonly log: DeploymentLog;
  readonly alarms: DeploymentAlarms | undefined;
}

export interface DriftWatch {
  start(): void;
  stop(): Promise<void>;
  /** Something was traded: looks soon. */
  kick(): void;
}

const LOOK_EVERY_MS = 30_000;
/** After a signal, long enough for its order to be filled. */
const LOOK_SOON_MS = 5000;

const alarmOf = (id: string): string => `drift of deployment ${id}`;

/** Ends only what was raised: an end that is of nothing is news to nobody. */
function alarmsOfDrift(alarms: DeploymentAlarms | undefined) {
  const raised = new Set<string>();
  return {
    raise(id: string, words: string): void {
      raised.add(id);
      alarms?.raise(alarmOf(id), words);
    },
    end(id: string): void {
      if (raised.delete(id)) alarms?.over(alarmOf(id));
    },
  };
}

export function createDriftWatch({ store, books, timers, log, alarms }: DriftWatchParts): DriftWatch {
  const seen = new Map<string, string | null>();
  const told = alarmsOfDrift(alarms);
  const unattended = createUnattendedAlarms(books, alarms);
  let isStopped = false;
  let cancel: (() => void) | undefined;
  let dueMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> = Promise.resolve();

  async function lookAt(deployment: Deployment): Promise<void> {
    const { id, name, drift } = deployment;
    const found = await driftOf(deployment, books);
    const isConfirmed = seen.get(id) === found;
    seen.set(id, found);
    if (found === drift || !isConfirmed) return;
    const words = found ?? 'The books agree again.';
    const entry: LogEntry = { atMs: timers.nowMs(), kind: 'drift', message: words };
    await store.setDrift(id, found, entry);
    if (found === null || !isRunning(deployment)) told.end(id);
    else told.raise(id, `The deployment "${name}" drifts. ${found}`);
    log.warn({ deployment: id, drift: found }, 'the books of a deployment have changed against those of the gateway');
  }

  /** Nobody else ends the alarm of one that was removed. */
  function forget(id: string): void {
    seen.delete(id);
    told.end(id);
  }

  async function look(): Promise<void> {
    try {
      const all = await store.all();
      await unattended.look(all);
      const trading = all.filter(isTrading);
      for (const id of seen.keys()) if (!trading.some((deployment) => deployment.id === id)) forget(id);
      for (const deployment of trading) if (!isStopped) await lookAt(deployment);
    } catch (error) {
      log.warn({ reason: errorText(error) }, 'the books of deployments cannot be compared; trying again');
    }
  }

  function schedule(delayMs: number): void {
    cancel?.();
    if (isStopped) return;
    dueMs = timers.nowMs() + delayMs;
    cancel = timers.after(delayMs, () => {
      looking = look().then(() => schedule(LOOK_EVERY_MS));
    });
  }

  return {
    start: () => schedule(LOOK_SOON_MS),
    kick() {
      // Never later than it is due: a script that tells something every second would put it off for ever.
      if (dueMs > timers.nowMs() + LOOK_SOON_MS) schedule(LOOK_SOON_MS);
    },
    async stop() {
      isStopped = true;
      cancel?.();
      await looking;
    },
  };
}

const isRunning = ({ state }: Deployment): boolean => state === 'running';
const isTrading = (deployment: Deployment): boolean => isTradingStrategy(deployment) && deployment.position !== null;

/** In words; null where every book agrees with the script. */
async function driftOf(deployment: Deployment, books: StrategyBooks): Promise<string | null> {
  const targets = deployment.targets.filter((target): target is TradeTarget => target.type === 'trade');
  const position = deployment.position as number;
  for (const target of targets) {
    const strategy = strategyOf(target, deployment);
    const held = await books.held({ strategy, market: target.strategy === undefined ? undefined : deployment.market });
    const known = held.length === 0 ? [{ account: 'every account', quantity: 0 }] : held;
    // Routes may multiply what is traded: of several accounts only the side can be compared.
    const differs = held.length > 1 ? isOtherSide : isOtherSize;
    const wrong = known.find(({ quantity }) => differs(position, quantity));
    if (wrong !== undefined) return driftWords(deployment, strategy, wrong);
  }
  return null;
}

const isOtherSide = (wanted: number, held: number): boolean => Math.sign(wanted) !== Math.sign(held);
const isOtherSize = (wanted: number, held: number): boolean =>
  isOtherSide(wanted, held) || Math.abs(wanted - held) > SIZE_TOLERANCE * Math.abs(wanted);

function driftWords(deployment: Deployment, strategy: string, held: { account: string; quantity: number }): string {
  const words = `The script ${heldWords(deployment)}, the strategy "${strategy}" is ${sizeWords(held.quantity)} on ${held.account}.`;
  const untold = untoldOf(deployment);
  return untold === 0
    ? `${words} ${remedyOf(deployment, held.quantity)}`
    : `${words} The script holds ${sizeWords(untold)} that was never traded: it was entered while Signalbox or the market was away, or its run came too late to act. Open it by hand, or wait until the script leaves it.`;
}

function heldWords({ state, position }: Deployment): string {
  const size = sizeWords(position as number);
  if (state === 'running') return `is ${size}`;
  return `was ${size} when it ${state === 'paused' ? 'was paused' : 'failed'}`;
}

function remedyOf(deployment: Deployment, held: number): string {
  if (isRunning(deployment))
    return 'Close or open the difference, or wait until the script is flat and deploy it again.';
  return held === 0
    ? 'Nothing of it is held any more: it was closed by hand or by a stop, or never opened. Remove it; or resume it, whose script counts that position until it leaves it.'
    : 'Close or open the difference by hand before you resume it.';
}

/** What the script holds beyond what was told of it, on the same side. */
function untoldOf(deployment: Deployment): number {
  const position = deployment.position as number;
  const told = toldPositionOf(deployment) ?? position;
  const untold = isOtherSide(position, told) ? position : position - told;
  return Math.abs(untold) > SIZE_TOLERANCE * Math.abs(position) && Math.sign(untold) === Math.sign(position)
    ? untold
    : 0;
}
