// Runs beside TradingView's alerts: keeps what our scripts expect, asks the gateway what came, judges, tells, and sends what is missing.
//
// Everything is done one at a time, so what is read and written back was changed by nobody in between. Nothing but the rows of
// the store is remembered: after a restart the arrivals since the oldest open question are asked for again, and those that are
// in a row already change nothing.

import { errorText } from '../../../errors/error-text.ts';
import { SerialQueue } from '../../../timing/serial-queue.ts';
import {
  type Deployment,
  type DeploymentEvent,
  type LogEntry,
  type OpinionTarget,
  opinionTargetOf,
} from '../deployment.ts';
import type { DeploymentStore } from '../deployment-store.ts';
import type { AlertArrival, AlertArrivals, AlertSender, DeploymentAlarms, DeploymentLog, Timers } from '../ports.ts';
import type { TradePort } from '../targets.ts';
import { alertNameOf, barTimeIn, isNear } from './alert-id.ts';
import { expectedAlert } from './expected-alert.ts';
import { awaited, compared, type OwnSide, unexpected, type Verdict } from './judge.ts';
import type { Opinion } from './opinion.ts';
import type { OpinionStore, Said } from './opinion-store.ts';
import { sendMissing } from './send-missing.ts';

export interface OpinionWatchParts {
  readonly store: Pick<DeploymentStore, 'running'>;
  readonly opinions: OpinionStore;
  readonly gateway: AlertArrivals & Pick<TradePort, 'trade'>;
  readonly timers: Timers;
  readonly log: DeploymentLog;
  readonly alarms: DeploymentAlarms | undefined;
  /** When the market of a deployment was last seen to move. */
  readonly lookedAtMs: (id: string) => number | undefined;
}

const LOOK_EVERY_MS = 1000;
/** While nobody has asked for a second opinion: sooner than the first bar of whoever does. */
const LOOK_SELDOM_MS = 5000;
/** Refusals are written a moment after their answer, and a busy disk takes its time. */
const OVERLAP_MS = 30_000;
/** After a start: an alert that came longer ago and that nobody here expected is no news any more. */
const LOOK_BACK_MS = 900_000;
/** More than a key sends in a minute; what is beyond it is read with the next look. */
const ARRIVALS_PER_LOOK = 500;

const NOT_WANTED = 'not sent: sendMissing is off';

const TOLD: ReadonlySet<Opinion['state']> = new Set(['missing', 'late', 'different', 'repainted', 'extra']);
/** What was said of one side alone. */
const PUT_RIGHT: ReadonlySet<Opinion['state']> = new Set(['missing', 'extra', 'no-opinion']);

const alarmOf = ({ id }: Deployment): string => `second opinion of deployment ${id}`;

export class OpinionWatch {
  readonly #parts: OpinionWatchParts;
  readonly #queue = new SerialQueue();
  /** From when on the arrivals of a deployment are asked for. */
  readonly #sinceMs = new Map<string, number>();
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(parts: OpinionWatchParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#queue.idle();
  }

  /** An event of ours is on its way: TradingView's alert of it is awaited from now on. Resolves with a word for the log. */
  expect(event: DeploymentEvent, target: OpinionTarget, deployment: Deployment): Promise<string> {
    return this.#queue.run(async () => {
      const named = expectedAlert(event, target, deployment);
      if ('reason' in named) return `no opinion: ${named.reason}`;
      const { alertId, expected } = named;
      const known = await this.#parts.opinions.find(deployment.id, alertId);
      if (known?.expected?.eventId === event.id) return `expected as ${alertId}`;
      if (known?.expected) return `no opinion: another event of this bar has the name ${alertId} too`;
      const before = known ?? this.#newOpinion(deployment, alertId, event.barTimeMs);
      const arrival = known?.arrival ?? (await this.#nearArrival(before, deployment));
      const opinion: Opinion = { ...before, expected, arrival, barTimeMs: event.barTimeMs };
      if (arrival !== null) await this.#say(deployment, opinion, compared(opinion, expected, arrival, target));
      else await this.#put({ ...opinion, state: 'expected' });
      return `expected as ${alertId}`;
    });
  }

  #newOpinion({ id }: Deployment, alertId: string, barTimeMs: number | null): Opinion {
    const nowMs = this.#parts.timers.nowMs();
    return {
      ...{ deploymentId: id, alertId, state: 'expected', barTimeMs, expected: null, arrival: null },
      ...{ isGone: false, sent: null, words: '', createdAtMs: nowMs, updatedAtMs: nowMs },
    };
  }

  /** One that came before, under a name that may be meant for this; it belongs to this opinion from now on. */
  async #nearArrival({ deploymentId, alertId }: Opinion, { timeframeMs }: Deployment): Promise<AlertArrival | null> {
    const { opinions } = this.#parts;
    const open = await opinions.open(deploymentId);
    const near = open.find((each) => each.expected === null && isNear(each.alertId, alertId, timeframeMs));
    if (near === undefined) return null;
    await opinions.remove(deploymentId, near.alertId);
    return near.arrival;
  }

  #schedule(delayMs = LOOK_EVERY_MS): void {
    if (this.#isStopped) return;
    this.#cancel = this.#parts.timers.after(delayMs, () => {
      void this.#look().then((isAsked) => this.#schedule(isAsked ? LOOK_EVERY_MS : LOOK_SELDOM_MS));
    });
  }

  /** Whether anybody has asked for a second opinion. */
  async #look(): Promise<boolean> {
    const { store, log } = this.#parts;
    try {
      const running = (await store.running()).filter(({ targets }) => opinionTargetOf(targets) !== undefined);
      for (const id of this.#sinceMs.keys()) if (!running.some((each) => each.id === id)) this.#sinceMs.delete(id);
      for (const deployment of running) if (!this.#isStopped) await this.#queue.run(() => this.#lookAt(deployment));
      return running.length > 0;
    } catch (error) {
      log.warn({ reason: errorText(error) }, 'second opinions cannot be looked at; trying again');
      return true;
    }
  }

  async #lookAt(deployment: Deployment): Promise<void> {
    const { opinions, lookedAtMs, timers } = this.#parts;
    const target = opinionTargetOf(deployment.targets) as OpinionTarget;
    await this.#takeArrivals(deployment, target);
    const open = await opinions.open(deployment.id);
    if (open.length === 0) return;
    const sight = await opinions.sight(deployment.id);
    for (const opinion of open) {
      const { id } = deployment;
      await this.#judge(opinion, { deployment, target, sight, nowMs: timers.nowMs(), lookedAtMs: lookedAtMs(id) });
    }
  }

  async #takeArrivals(deployment: Deployment, target: OpinionTarget): Promise<void> {
    const { gateway, timers, opinions } = this.#parts;
    const { keyId, keyLabel } = target;
    const nowMs = timers.nowMs();
    const [oldest] = this.#sinceMs.has(deployment.id) ? [] : await opinions.open(deployment.id);
    const firstMs = Math.min(nowMs - LOOK_BACK_MS, oldest?.createdAtMs ?? nowMs) - OVERLAP_MS;
    const sinceMs = this.#sinceMs.get(deployment.id) ?? Math.max(deployment.createdAtMs, firstMs);
    const found = await gateway.arrived({ keyId, keyLabel, sinceMs, limit: ARRIVALS_PER_LOOK });
    for (const arrival of found)
      if (concerns(arrival, deployment, target)) await this.#takeArrival(deployment, target, arrival);
    const last = found.length < ARRIVALS_PER_LOOK ? nowMs - OVERLAP_MS : (found.at(-1)?.receivedAtMs ?? nowMs);
    this.#sinceMs.set(deployment.id, Math.max(sinceMs, last));
  }

  async #takeArrival(deployment: Deployment, target: OpinionTarget, arrival: AlertArrival): Promise<void> {
    const { opinions } = this.#parts;
    const { id, timeframeMs } = deployment;
    const known = await opinions.find(id, arrival.alertId);
    // The first one counts: what comes under the same name again is a duplicate to the gateway too.
    if (known?.arrival || (await opinions.hasArrival(id, arrival.requestId))) return;
    const open = known ? [] : await opinions.open(id);
    const near = open.find(
      (each) => each.expected !== null && each.arrival === null && isNear(each.alertId, arrival.alertId, timeframeMs),
    );
    const awaiting = known ?? near;
    if (awaiting?.expected) {
      const met = { ...awaiting, arrival };
      await this.#say(deployment, met, compared(met, awaiting.expected, arrival, target));
    } else {
      const alone = this.#newOpinion(deployment, arrival.alertId, barTimeIn(arrival.alertId));
      await this.#put({ ...alone, state: 'arrived', arrival });
    }
  }

  async #judge(opinion: Opinion, own: OwnSide): Promise<void> {
    const { expected, arrival, state, sent } = opinion;
    const { deployment, target, nowMs } = own;
    if (expected === null) {
      const verdict = arrival && unexpected(opinion, arrival, own);
      if (verdict) await this.#say(deployment, opinion, verdict);
    } else if (arrival !== null) {
      await this.#say(deployment, opinion, compared(opinion, expected, arrival, target));
    } else if (state === 'expected' || opinion.isGone) {
      const verdict = awaited(opinion, expected, own);
      const left = target.sendMissing ? opinion : { ...opinion, sent: NOT_WANTED };
      if (verdict) await this.#say(deployment, verdict.state === 'missing' ? left : opinion, verdict);
    } else if (target.sendMissing && sent === null && nowMs >= expected.atMs + target.sendAfterSeconds * 1000) {
      await this.#send(deployment, target, opinion);
    }
  }

  async #send(deployment: Deployment, target: OpinionTarget, opinion: Opinion): Promise<void> {
    const { gateway } = this.#parts;
    if (opinion.expected === null) return;
    const sent = await sendMissing(gateway, opinion.expected, target, deployment);
    if (sent === undefined) return;
    const { words, isTraded } = sent;
    const line = this.#line(opinion, `${opinion.alertId}: ${words}.`);
    await this.#put({ ...opinion, sent: words }, { counted: isTraded ? 'sent' : undefined, log: line });
    this.#parts.alarms?.raise(alarmOf(deployment), `${titleOf(deployment)} ${opinion.alertId} is missing, ${words}.`);
  }

  /** Stores what is said, then tells the owner. */
  async #say(deployment: Deployment, opinion: Opinion, { state, words }: Verdict): Promise<void> {
    const { alarms } = this.#parts;
    // It was told already; what is new is only that the other side has come.
    if (state === opinion.state) return this.#put({ ...opinion, words });
    const isNews = state !== 'confirmed' || PUT_RIGHT.has(opinion.state);
    const text = `${opinion.alertId} is ${state === 'no-opinion' ? 'not judged' : state}. ${words}`.trim();
    const log = isNews ? this.#line(opinion, text) : undefined;
    await this.#put({ ...opinion, state, words }, { counted: state, log });
    if (TOLD.has(state)) alarms?.raise(alarmOf(deployment), `${titleOf(deployment)} ${text}`);
    else if (state === 'confirmed') alarms?.over(alarmOf(deployment));
  }

  #line({ barTimeMs, expected }: Opinion, message: string): LogEntry {
    const about = { barTimeMs: barTimeMs ?? undefined, eventId: expected?.eventId };
    return { atMs: this.#parts.timers.nowMs(), kind: 'opinion', message, ...about };
  }

  #put(opinion: Opinion, said?: Said): Promise<void> {
    return this.#parts.opinions.put({ ...opinion, updatedAtMs: this.#parts.timers.nowMs() }, said);
  }
}

const titleOf = ({ name, symbol, interval }: Deployment): string =>
  `Second opinion on "${name}" (${symbol} ${interval}):`;

/** Under the key of an indicator every alert of its market is taken for one of its alerts. */
function concerns({ alertId, market }: AlertArrival, deployment: Deployment, target: OpinionTarget): boolean {
  if (deployment.scriptType === 'strategy') return alertId.startsWith(`${alertNameOf(target, deployment)}/`);
  return market === deployment.market;
}

/** The same sender, but for what is awaited instead of sent. */
export const withOpinions = (sender: AlertSender, watch: OpinionWatch): AlertSender => ({
  faultOf: (target) => sender.faultOf(target),
  send: (event, target, deployment) =>
    target.type === 'second-opinion' ? watch.expect(event, target, deployment) : sender.send(event, target, deployment),
});
