// Decides who gets the next free thread, and who may wait for one.
//
// | class     | threads at once                  | places to wait      | one caller has at most                      |
// |-----------|----------------------------------|---------------------|---------------------------------------------|
// | editor    | its own, which no run ever takes | a quarter           | half of the places                          |
// | own       | all threads for runs             | all of a full queue | no bound                                    |
// | keyed     | all threads for runs             | half                | half of the places, all threads but one     |
// | anonymous | all for runs but one             | half                | half of the places, all of those but one    |
// | search    | all for runs but one             | half                | half of the places, threads as a keyed one  |
//
// A key's runs and its searches are one caller's: together they leave a thread to others. All but one of a single thread
// is that thread, which then changes hands between jobs.
//
// Of those who wait, whoever has used the least time of the threads lately is next, however many jobs he sent; of equals
// the one whose turn is longest ago. Strangers are compared with others as one, since addresses cost nothing and a new
// one has used nothing; among themselves they are compared by address.

import type { Caller, CallerClass } from '../../library/request-runner.ts';
import { TimeUsed } from './time-used.ts';

export interface QueueLimits {
  /** For everybody but editors. */
  readonly runThreads: number;
  readonly editorThreads: number;
  /** Of a full queue; the table above tells who has which part of it. */
  readonly places: number;
}

interface Share {
  readonly threads: number;
  readonly callerThreads: number;
  readonly places: number;
  readonly callerPlaces: number;
}

const half = (count: number): number => Math.ceil(count / 2);
/** All but one, and one where there is only one. */
const butOne = (count: number): number => Math.min(count, Math.max(1, count - 1));

function sharesOf({ runThreads, editorThreads, places }: QueueLimits): Readonly<Record<CallerClass, Share>> {
  const share = (threads: number, callerThreads: number, classPlaces: number): Share => ({
    threads,
    callerThreads,
    places: classPlaces,
    callerPlaces: Math.min(classPlaces, Math.max(1, Math.floor(classPlaces / 2))),
  });
  const most = butOne(runThreads);
  return {
    editor: share(editorThreads, editorThreads, half(half(places))),
    own: { threads: runThreads, callerThreads: runThreads, places, callerPlaces: places },
    keyed: share(runThreads, most, half(places)),
    anonymous: share(most, butOne(most), half(places)),
    search: share(most, most, half(places)),
  };
}

/** What one caller waits for in one class. */
interface Line<Job> {
  readonly caller: Caller;
  readonly jobs: Job[];
}

const lineName = ({ class: name, id }: Caller): string => `${name} ${id}`;
const className = (name: CallerClass): string => `class ${name}`;
/** Whose time it is. */
const ownerName = (caller: Caller): string =>
  lineName(caller.class === 'search' ? { ...caller, class: 'keyed' } : caller);
/** Those who are compared as one with all others. */
const groupName = (caller: Caller): string =>
  caller.class === 'anonymous' ? className('anonymous') : ownerName(caller);
/** Everything that a job is counted under, each once. */
const namesOf = (caller: Caller): ReadonlySet<string> =>
  new Set([className(caller.class), caller.class === 'editor' ? 'editors' : 'runs', ownerName(caller)]);

export class RunQueue<Job> {
  readonly #limits: QueueLimits;
  readonly #shares: Readonly<Record<CallerClass, Share>>;
  readonly #used: TimeUsed;
  /** Whoever had a turn last stands last. */
  readonly #lines = new Map<string, Line<Job>>();

  constructor(limits: QueueLimits, monotonicMs: () => number) {
    this.#limits = limits;
    this.#shares = sharesOf(limits);
    this.#used = new TimeUsed(monotonicMs);
  }

  /** Why this caller can neither start nor wait; undefined when he can. */
  refusal(caller: Caller): string | undefined {
    if (this.#mayStart(caller)) return undefined;
    const { places, callerPlaces } = this.#shares[caller.class];
    if (this.#waitingOf(caller.class) >= places) return `${places} scripts wait already; try again in a moment`;
    if ((this.#lines.get(lineName(caller))?.jobs.length ?? 0) >= callerPlaces)
      return `${callerPlaces} scripts of yours wait already; try again when one of them is done`;
    return undefined;
  }

  #waitingOf(name: CallerClass): number {
    let count = 0;
    for (const { caller, jobs } of this.#lines.values()) if (caller.class === name) count += jobs.length;
    return count;
  }

  #mayStart(caller: Caller): boolean {
    const { threads, callerThreads } = this.#shares[caller.class];
    const { runThreads } = this.#limits;
    return (
      (caller.class === 'editor' || this.#used.running('runs') < runThreads) &&
      this.#used.running(className(caller.class)) < threads &&
      this.#used.running(ownerName(caller)) < callerThreads
    );
  }

  /** Whoever is not refused. */
  add(caller: Caller, job: Job): void {
    const name = lineName(caller);
    const line = this.#lines.get(name);
    if (line === undefined) this.#lines.set(name, { caller, jobs: [job] });
    else line.jobs.push(job);
  }

  /** False when it does not wait. */
  remove(caller: Caller, job: Job): boolean {
    const line = this.#lines.get(lineName(caller));
    const index = line?.jobs.indexOf(job) ?? -1;
    if (line === undefined || index < 0) return false;
    line.jobs.splice(index, 1);
    if (line.jobs.length === 0) this.#lines.delete(lineName(caller));
    return true;
  }

  /** The job that starts now, if one may; it has its thread until its caller is done with it. */
  next(): Job | undefined {
    let first: Line<Job> | undefined;
    for (const line of this.#lines.values())
      if (this.#mayStart(line.caller) && (first === undefined || this.#isBefore(line.caller, first.caller)))
        first = line;
    if (first === undefined) return undefined;
    const { caller, jobs } = first;
    const job = jobs.shift();
    this.#lines.delete(lineName(caller));
    if (jobs.length > 0) this.#lines.set(lineName(caller), first);
    for (const name of namesOf(caller)) this.#used.begin(name);
    return job;
  }

  /** Less time used comes first: of the two groups, and where they are the same, of the two callers. */
  #isBefore(one: Caller, other: Caller): boolean {
    const [group, otherGroup] = [groupName(one), groupName(other)];
    return group === otherGroup
      ? this.#used.of(ownerName(one)) < this.#used.of(ownerName(other))
      : this.#used.of(group) < this.#used.of(otherGroup);
  }

  /** A thread of this caller is free again. */
  done(caller: Caller): void {
    for (const name of namesOf(caller)) this.#used.end(name);
  }
}
