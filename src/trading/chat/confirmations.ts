// Questions before a change: a yes counts once, within a minute, and only from the chat and the person who asked for it.

export interface Asker {
  readonly chatId: string;
  readonly userId: string;
}

/** HTML. With a token it is a question, to be answered with yes or no. */
export interface Reply {
  readonly text: string;
  readonly confirm?: string;
}

export type Answer<T> =
  | { readonly kind: 'confirmed'; readonly change: T }
  | { readonly kind: 'declined'; readonly change: T }
  /** Somebody else's question. It stays open for whoever asked. */
  | { readonly kind: 'not-yours' }
  | { readonly kind: 'used' }
  /** Too late, or never asked: after a restart nothing old can be confirmed. */
  | { readonly kind: 'expired' };

export interface Confirmations<T> {
  /** Returns the token the answer must carry. */
  ask(asker: Asker, change: T): string;
  answer(token: string, from: Asker, yes: boolean): Answer<T>;
}

export const CONFIRM_WITHIN_MS = 60_000;
/** Nobody has so many questions open; the oldest give way. */
const MAX_OPEN = 100;
const TOKEN_BYTES = 16;

interface Question<T> extends Asker {
  readonly change: T;
  readonly askedAtMs: number;
  answered: boolean;
}

export function createConfirmations<T>(options: {
  /** Never jumps: a clock that is set must not keep a question open. */
  monotonicMs: () => number;
  randomBytes: (count: number) => Buffer;
}): Confirmations<T> {
  const { monotonicMs, randomBytes } = options;
  const questions = new Map<string, Question<T>>();
  const isOpen = ({ askedAtMs }: Question<T>): boolean => monotonicMs() - askedAtMs < CONFIRM_WITHIN_MS;

  return {
    ask(asker, change) {
      for (const [token, question] of questions) {
        if (questions.size < MAX_OPEN && isOpen(question)) break;
        questions.delete(token);
      }
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      questions.set(token, { ...asker, change, askedAtMs: monotonicMs(), answered: false });
      return token;
    },
    answer(token, from, yes) {
      const question = questions.get(token);
      if (!question || !isOpen(question)) return { kind: 'expired' };
      if (question.chatId !== from.chatId || question.userId !== from.userId) return { kind: 'not-yours' };
      if (question.answered) return { kind: 'used' };
      question.answered = true;
      return { kind: yes ? 'confirmed' : 'declined', change: question.change };
    },
  };
}
