// Sends one frame to many clients, a slice of them at a time, so that thousands of clients never hold up other work.

/** One client's place in one market. */
export interface Seat {
  /** Never waits for the client. */
  send(frame: Buffer): void;
  /** Nothing is sent to it any more. */
  isLeft: boolean;
}

/** Then other work has its turn: a webhook that comes meanwhile waits no longer than this. */
const SLICE_MS = 4;
/** The clock is looked at after so many. */
const SENDS_A_LOOK = 16;

interface Job {
  seats: readonly Seat[];
  /** Where frames that replace each other come from; undefined for frames that must all arrive. */
  readonly replaceable: object | undefined;
  frame: Buffer;
  next: number;
}

export class FanOut {
  readonly #monotonicMs: () => number;
  #jobs: Job[] = [];
  #isDue = false;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** Frames arrive in the order they were posted, but a replaceable one that nobody has got yet makes way for the next. */
  post(seats: readonly Seat[], frame: Buffer, replaceable?: object): void {
    const waiting = replaceable && this.#jobs.find((job) => job.replaceable === replaceable && job.next === 0);
    if (waiting !== undefined) {
      [waiting.seats, waiting.frame] = [seats, frame];
      return;
    }
    this.#jobs.push({ seats, frame, replaceable, next: 0 });
    if (this.#isDue) return;
    this.#isDue = true;
    this.#slice();
  }

  #slice = (): void => {
    const endMs = this.#monotonicMs() + SLICE_MS;
    for (let job = this.#jobs[0]; job !== undefined; job = this.#jobs[0]) {
      while (job.next < job.seats.length) {
        const until = Math.min(job.seats.length, job.next + SENDS_A_LOOK);
        for (; job.next < until; job.next += 1) sendTo(job.seats[job.next] as Seat, job.frame);
        if (this.#monotonicMs() < endMs) continue;
        setImmediate(this.#slice);
        return;
      }
      this.#jobs.shift();
    }
    this.#isDue = false;
  };
}

/** A socket that fails is one client's trouble; the kit has closed it by then. */
function sendTo(seat: Seat, frame: Buffer): void {
  if (seat.isLeft) return;
  try {
    seat.send(frame);
  } catch {
    seat.isLeft = true;
  }
}
