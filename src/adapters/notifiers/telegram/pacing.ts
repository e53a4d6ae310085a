// Keeps what is sent within Telegram's limits: so many messages at once and per minute, and none while a chat asks to wait.

import { backgroundTimers } from '../../../timing/timers.ts';
import { wait } from '../../../timing/wait.ts';
import { NotifierError } from '../../../trading/notifications/notifier.ts';

export interface Pacing {
  /** Resolves when a message to this chat may leave; rejects when that is too far off to wait for. */
  turn(chatId: string): Promise<void>;
  /** The chat asked to be left alone for so long. */
  hold(chatId: string, forMs: number): void;
}

/** Messages to everybody together: 30 a second. */
const OVERALL = { burst: 30, everyMs: 1000 / 30 };
/** One a second to a chat; a short burst over it is tolerated. */
const PER_CHAT = { burst: 5, everyMs: 1000 };
/** Groups and channels take 20 a minute: five at once, and fifteen more in the minute that follows. */
const PER_GROUP = { burst: 5, everyMs: 4000 };
/** Past this a message waits in the outbox and not in memory. */
const LONGEST_WAIT_MS = 5000;

/** Lets through `burst` at once and then one every `everyMs`. */
class Allowance {
  private readonly burst: number;
  private readonly everyMs: number;
  /** When the allowance is whole again. */
  private wholeAtMs = Number.NEGATIVE_INFINITY;

  constructor({ burst, everyMs }: { burst: number; everyMs: number }) {
    this.burst = burst;
    this.everyMs = everyMs;
  }

  /** The earliest moment for the next message. */
  nextMs(nowMs: number): number {
    return Math.max(nowMs, this.wholeAtMs - (this.burst - 1) * this.everyMs);
  }

  takeAt(atMs: number): void {
    this.wholeAtMs = Math.max(this.wholeAtMs, atMs) + this.everyMs;
  }
}

interface ChatPace {
  readonly allowances: readonly Allowance[];
  heldUntilMs: number;
}

export function createPacing(options: { monotonicMs: () => number }): Pacing {
  const { monotonicMs } = options;
  const overall = new Allowance(OVERALL);
  /** Only allowed chats get here, so there are few. */
  const chats = new Map<string, ChatPace>();

  const paceOf = (chatId: string): ChatPace => {
    let pace = chats.get(chatId);
    if (!pace) {
      // Private chats have the positive number of their person.
      const isPrivate = /^\d+$/.test(chatId);
      const allowances = [new Allowance(PER_CHAT), ...(isPrivate ? [] : [new Allowance(PER_GROUP)])];
      pace = { allowances, heldUntilMs: Number.NEGATIVE_INFINITY };
      chats.set(chatId, pace);
    }
    return pace;
  };

  /** Takes the next place and waits for it. */
  const takeTurn = async (allowances: readonly Allowance[]): Promise<void> => {
    const nowMs = monotonicMs();
    const atMs = Math.max(...allowances.map((allowance) => allowance.nextMs(nowMs)));
    if (atMs - nowMs > LONGEST_WAIT_MS) throw tooFarOff(atMs - nowMs);
    for (const allowance of allowances) allowance.takeAt(atMs);
    // A process that wants to end need not wait for this: the message is in the outbox.
    if (atMs > nowMs) await wait(atMs - nowMs, { timers: backgroundTimers });
  };
  const assertNotHeld = ({ heldUntilMs }: ChatPace): void => {
    const leftMs = heldUntilMs - monotonicMs();
    if (leftMs > 0) throw tooFarOff(leftMs);
  };

  return {
    async turn(chatId) {
      const pace = paceOf(chatId);
      assertNotHeld(pace);
      await takeTurn(pace.allowances);
      // Only now: a place kept for later would be taken from chats that could write at once.
      await takeTurn([overall]);
      // Somebody else's message may have met the chat's limit meanwhile.
      assertNotHeld(pace);
    },
    hold(chatId, forMs) {
      const pace = paceOf(chatId);
      pace.heldUntilMs = Math.max(pace.heldUntilMs, monotonicMs() + forMs);
    },
  };
}

const tooFarOff = (waitMs: number): NotifierError =>
  new NotifierError(`the chat takes no more messages for ${Math.ceil(waitMs / 1000)} s`, true, Math.ceil(waitMs));
