// Decides who gets the next free thread, and who may wait for one: each class of callers has its own share of both.
//
// | class     | threads at once                      | places to wait      | one caller has at most            |
// |-----------|--------------------------------------|---------------------|-----------------------------------|
// | editor    | its own, which no run ever takes     | a quarter           | half of the places                |
// | own       | all threads for runs                 | all of a full queue | no bound                          |
// | keyed     | all threads for runs                 | half                | half of the places                |
// | anonymous | all for runs but one, if there is one| half                | half of the places, all threads but one |
// | search    | the same ones: both together leave one | half              | half of the places                |
//
// Classes that wait for the same threads take turns, and so do the callers of a class. So nobody waits for more than one
// run of each other caller of his class, and one turn of each other class, for every place he is away from the front.

import type { Caller, CallerClass } from '../../library/request-runner.ts';

export interface QueueLimits {
  /** For everybody but editors. */
  readonly runThreads: number;
  readonly editorThreads: number;
  /** Of a full queue; the table above tells who has which part of it. */
  readonly places: number;
}

interface Share {
  readonly threads: number;
  readonly places: number;
  readonly callerThreads: number;
  readonly callerPlaces: number;
}

const RUN_CLASSES: readonly CallerClass[] = ['own', 'keyed', 'anonymous', 'search'];
/** Together they leave a thread to the others, since a job of theirs may take as long as any. */
const PATIENT_CLASSES: readonly CallerClass[] = ['anonymous', 'search'];

const half = (count: number): number => Math.ceil(count / 2);
/** All but one, and one where there is only one. */
const butOne = (count: number): number => Math.min(count, Math.max(1, count - 1));

function sharesOf({ runThreads, editorThreads, places }: QueueLimits): Readonly<Record<CallerClass, Share>> {
  const share = (threads: number, classPlaces: number, callerThreads = threads): Share => ({
    threads,
    places: classPlaces,
    callerThreads,
    callerPlaces: Math.min(classPlaces, Math.max(1, Math.floor(classPlaces / 2))),
  });
  const anonymousThreads = butOne(runThreads);
  return {
    editor: share(editorThreads, half(half(places))),
    own: { threads: runThreads, places, callerThreads: runThreads, callerPlaces: places },
    keyed: share(runThreads, half(places)),
    anonymous: share(anonymousThreads, half(places), butOne(anonymousThreads)),
    search: share(anonymousThreads, half(places)),
  };
}

/** The callers of one class: those who wait, in the order of their turns, and how many threads each has. */
class CallerQueues<Job> {
  readonly share: Share;
  readonly #waiting = new Map<string, Job[]>();
  readonly #running = new Map<string, number>();
  waiting = 0;
  running = 0;

  constructor(share: Share) {
    this.share = share;
  }

  mayStart(id: string): boolean {
    return this.running < this.share.threads && (this.#running.get(id) ?? 0) < this.share.callerThreads;
  }

  refusal(id: string): string | undefined {
    const { places, callerPlaces } = this.share;
    if (this.waiting >= places) return `${places} scripts wait already; try again in a moment`;
    if ((this.#waiting.get(id)?.length ?? 0) >= callerPlaces)
      return `${callerPlaces} scripts of yours wait already; try again when one of them is done`;
    return undefined;
  }

  add(id: string, job: Job): void {
    const jobs = this.#waiting.get(id);
    if (jobs === undefined) this.#waiting.set(id, [job]);
    else jobs.push(job);
    this.waiting += 1;
  }

  remove(id: string, job: Job): boolean {
    const jobs = this.#waiting.get(id) ?? [];
    const index = jobs.indexOf(job);
    if (index < 0) return false;
    jobs.splice(index, 1);
    if (jobs.length === 0) this.#waiting.delete(id);
    this.waiting -= 1;
    return true;
  }

  next(): Job | undefined {
    for (const [id, jobs] of this.#waiting) {
      const [job] = jobs;
      if (job === undefined || !this.mayStart(id)) continue;
      this.remove(id, job);
      // Whoever had his turn goes to the end.
      if (jobs.length > 0) {
        this.#waiting.delete(id);
        this.#waiting.set(id, jobs);
      }
      this.#running.set(id, (this.#running.get(id) ?? 0) + 1);
      this.running += 1;
      return job;
    }
    return undefined;
  }

  done(id: string): void {
    const left = (this.#running.get(id) ?? 0) - 1;
    if (left > 0) this.#running.set(id, left);
    else this.#running.delete(id);
    this.running -= 1;
  }
}

export class RunQueue<Job> {
  readonly #limits: QueueLimits;
  readonly #classes: Readonly<Record<CallerClass, CallerQueues<Job>>>;
  /** In the order of their turns. */
  readonly #turns = [...RUN_CLASSES];

  constructor(limits: QueueLimits) {
    this.#limits = limits;
    const shares = sharesOf(limits);
    this.#classes = {
      editor: new CallerQueues(shares.editor),
      own: new CallerQueues(shares.own),
      keyed: new CallerQueues(shares.keyed),
      anonymous: new CallerQueues(shares.anonymous),
      search: new CallerQueues(shares.search),
    };
  }

  /** Why this caller can neither start nor wait; undefined when he can. */
  refusal(caller: Caller): string | undefined {
    return this.#mayStart(caller) ? undefined : this.#classes[caller.class].refusal(caller.id);
  }

  #mayStart({ class: name, id }: Caller): boolean {
    return (name === 'editor' || this.#hasThreadFor(name)) && this.#classes[name].mayStart(id);
  }

  #hasThreadFor(name: CallerClass): boolean {
    const { runThreads } = this.#limits;
    const isPatient = PATIENT_CLASSES.includes(name);
    return this.#hasRunThread() && (!isPatient || this.#running(PATIENT_CLASSES) < butOne(runThreads));
  }

  #running(names: readonly CallerClass[]): number {
    return names.reduce((sum, name) => sum + this.#classes[name].running, 0);
  }

  #hasRunThread(): boolean {
    return this.#running(RUN_CLASSES) < this.#limits.runThreads;
  }

  /** Whoever is not refused. */
  add(caller: Caller, job: Job): void {
    this.#classes[caller.class].add(caller.id, job);
  }

  /** False when it does not wait. */
  remove(caller: Caller, job: Job): boolean {
    return this.#classes[caller.class].remove(caller.id, job);
  }

  /** The job that starts now, if one may; it has its thread until its caller is done with it. */
  next(): Job | undefined {
    const edit = this.#classes.editor.next();
    if (edit !== undefined || !this.#hasRunThread()) return edit;
    for (const [place, name] of this.#turns.entries()) {
      const job = this.#hasThreadFor(name) ? this.#classes[name].next() : undefined;
      if (job === undefined) continue;
      this.#turns.push(...this.#turns.splice(place, 1));
      return job;
    }
    return undefined;
  }

  /** A thread of this caller is free again. */
  done({ class: name, id }: Caller): void {
    this.#classes[name].done(id);
  }
}
