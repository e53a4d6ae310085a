// The newest messages of a run, bounded in number and in text: a script may raise one on every tick for months.

/** Messages kept; older ones make room. As many as anybody pages through. */
export const MAX_MESSAGES = 10_000;
/** Characters kept in all: a single text may have 40,960, and 10,000 of those would fill the memory. */
export const MAX_CHARACTERS = 4_000_000;

export interface MessageLimits {
  readonly messages: number;
  readonly characters: number;
}

export class RecentMessages<T extends { readonly message: string }> {
  private readonly limits: MessageLimits;
  private items: (T | null)[] = [];
  /** Place of the oldest kept item: those before it are null, and are cut off when they are as many as the kept ones. */
  private first = 0;
  private characters = 0;
  private added = 0;

  constructor(limits: MessageLimits = { messages: MAX_MESSAGES, characters: MAX_CHARACTERS }) {
    this.limits = limits;
  }

  add(item: T): void {
    this.items.push(item);
    this.added += 1;
    this.characters += item.message.length;
    // The newest always stays, however long it is.
    while (this.size > 1 && (this.size > this.limits.messages || this.characters > this.limits.characters)) this.drop();
  }

  /** How many were ever added. */
  get total(): number {
    return this.added;
  }

  /** How many of them had to make room. */
  get dropped(): number {
    return this.added - this.size;
  }

  /** Oldest first; only those added after the first `total`, where a caller has seen the rest. */
  list(seen = 0): T[] {
    return this.items.slice(this.first + Math.max(seen - this.dropped, 0)) as T[];
  }

  private get size(): number {
    return this.items.length - this.first;
  }

  private drop(): void {
    this.characters -= (this.items[this.first] as T).message.length;
    this.items[this.first] = null;
    this.first += 1;
    if (this.first < this.size) return;
    this.items = this.items.slice(this.first);
    this.first = 0;
  }
}
