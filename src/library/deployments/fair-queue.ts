// Runs the tasks of many deployments: those of one strictly in order, only so many at once, and by whose turn it is.
//
// Quick and slow deployments have places of their own, so that a quick one never waits for the run of a slow one. An owner
// has at most one place of each kind. Whenever one is free, of those who wait it is given
//
//   1. to one that trades before one that only alerts,
//   2. then to the owner whose runs took less time lately,
//   3. then, of the deployments of one owner, to the one whose last turn is the longest ago;
//
// but the task that has waited for the longest time is passed over three times at the most: so nobody waits for ever.

import type { Timers } from './ports.ts';

/** Returns undefined when it is done, or how long to wait before it is to be tried again. Never rejects. */
export type Task = () => Promise<number | undefined>;

/** A deployment, as far as its turn hangs on it. */
export interface Member {
  readonly id: string;
  readonly userId: string;
  readonly timeframeMs: number;
  readonly isTrading: boolean;
}

export interface FairQueueOptions {
  readonly places: { readonly quick: number; readonly slow: number };
  /** Per deployment; the oldest waiting task gives way. */
  readonly maxWaiting: number;
  readonly timers: Pick<Timers, 'after'>;
  readonly paces: { isQuick(member: Member): boolean; usedMs(userId: string): number };
}

interface WaitingTask {
  readonly run: Task;
  /** The smaller, the longer it has waited. */
  readonly number: number;
  /** How often a younger one was taken while this was the oldest. */
  passedOver: number;
}

/** What one deployment has to do. */
interface DeploymentQueue {
  readonly member: Member;
  readonly tasks: WaitingTask[];
  isBusy: boolean;
  /** Takes the pause back. */
  wake: (() => void) | undefined;
}

interface Place {
  readonly isQuick: boolean;
  readonly userId: string;
  readonly work: Promise<void>;
}

const MAX_PASSED_OVER = 3;

export class FairQueue {
  readonly #options: FairQueueOptions;
  /** By deployment, in the order of their turns: one that had its turn goes to the end. */
  readonly #queues = new Map<string, DeploymentQueue>();
  readonly #underWay = new Set<Place>();
  #added = 0;
  #isLooking = false;
  #isStopped = false;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  add(member: Member, run: Task): void {
    if (this.#isStopped) return;
    const queue = this.#queues.get(member.id) ?? { member, tasks: [], isBusy: false, wake: undefined };
    this.#queues.set(member.id, queue);
    this.#added += 1;
    queue.tasks.push({ run, number: this.#added, passedOver: 0 });
    // The first one is being tried; the one behind it is the oldest that waits.
    if (queue.tasks.length > this.#options.maxWaiting) queue.tasks.splice(1, 1);
    this.#look();
  }

  /** Forgets what waits; what is under way ends by itself. */
  drop(id: string): void {
    const queue = this.#queues.get(id);
    queue?.wake?.();
    if (queue?.isBusy) queue.tasks.length = 1;
    else this.#queues.delete(id);
  }

  /** Nothing new begins; resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { wake } of this.#queues.values()) wake?.();
    await Promise.all([...this.#underWay].map(({ work }) => work));
  }

  /** A close is told to many deployments one after the other: whose turn it is shows when all of them have heard of it. */
  #look(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    queueMicrotask(() => {
      this.#isLooking = false;
      this.#fill(true);
      this.#fill(false);
    });
  }

  #fill(isQuick: boolean): void {
    for (;;) {
      const next = this.#isStopped ? undefined : this.#next(isQuick);
      if (next === undefined) return;
      this.#begin(next, isQuick);
    }
  }

  #next(isQuick: boolean): DeploymentQueue | undefined {
    const { places, paces } = this.#options;
    const taken = [...this.#underWay].filter((place) => place.isQuick === isQuick);
    if (taken.length >= (isQuick ? places.quick : places.slow)) return undefined;
    const owners = new Set(taken.map(({ userId }) => userId));
    const waiting = [...this.#queues.values()]
      .filter(({ tasks, isBusy, wake }) => tasks.length > 0 && !isBusy && wake === undefined)
      .filter(({ member }) => !owners.has(member.userId) && paces.isQuick(member) === isQuick)
      .map((queue) => ({ queue, ...queue.member, usedMs: paces.usedMs(queue.member.userId) }))
      .sort((a, b) => Number(b.isTrading) - Number(a.isTrading) || a.usedMs - b.usedMs)
      .map(({ queue }) => queue);
    const oldest = waiting.reduce<DeploymentQueue | undefined>(older, undefined);
    const [task] = oldest?.tasks ?? [];
    if (task === undefined || oldest === waiting[0]) return oldest;
    if (task.passedOver >= MAX_PASSED_OVER) return oldest;
    task.passedOver += 1;
    return waiting[0];
  }

  #begin(queue: DeploymentQueue, isQuick: boolean): void {
    const [task] = queue.tasks as [DeploymentQueue['tasks'][number]];
    queue.isBusy = true;
    const place: Place = {
      ...{ isQuick, userId: queue.member.userId },
      work: this.#take(queue, task.run).then(() => {
        this.#underWay.delete(place);
        this.#look();
      }),
    };
    this.#underWay.add(place);
  }

  async #take(queue: DeploymentQueue, run: Task): Promise<void> {
    const { id } = queue.member;
    const againMs = await run();
    queue.isBusy = false;
    if (this.#queues.get(id) !== queue) return;
    this.#queues.delete(id);
    if (againMs === undefined) queue.tasks.shift();
    else {
      const cancel = this.#options.timers.after(againMs, () => {
        queue.wake = undefined;
        this.#look();
      });
      queue.wake = () => {
        queue.wake = undefined;
        cancel();
      };
    }
    if (queue.tasks.length > 0) this.#queues.set(id, queue);
  }
}

const older = (one: DeploymentQueue | undefined, other: DeploymentQueue): DeploymentQueue =>
  one !== undefined && numberOf(one) < numberOf(other) ? one : other;

const numberOf = ({ tasks }: DeploymentQueue): number => tasks[0]?.number ?? Number.POSITIVE_INFINITY;
