// A long list, newest first, of one or several endpoints that are paged by a cursor. Each is a feed: a page is asked for when the reader
// comes to the end of the last one. Rows of several feeds stand in the order of their times, and only as far back as all of them have
// been read: what is below that may still be missing something. The newest page is asked for again every so often, and whenever
// something has happened.

import { Refused } from './ask.ts';

export interface FeedRow {
  readonly id: string;
  readonly at: number;
}

export interface FeedPage<Row> {
  readonly rows: readonly Row[];
  /** When the first and the last one came that were read, shown or not; undefined for a page without any. */
  readonly newestAt: number | undefined;
  readonly oldestAt: number | undefined;
  /** For the page after it; undefined behind the last. */
  readonly next: string | undefined;
}

export type Feed<Row> = (before: string | undefined, signal: AbortSignal) => Promise<FeedPage<Row>>;

interface ReadFeed<Row> {
  readonly feed: Feed<Row>;
  rows: Map<string, Row>;
  newestAt: number;
  oldestAt: number;
  next: string | undefined;
  isBegun: boolean;
  /** How many have come on top since it was last read on. */
  arrived: number;
}

/** So many pages are read for one more row at most, where a filter leaves little of them. */
const MOST_PAGES = 10;
/** A list that is only looked at, for days, forgets what came before the newest page: whoever wants it reads on. */
const MOST_ARRIVED = 5_000;

export class FeedList<Row extends FeedRow> {
  readonly #feeds: readonly ReadFeed<Row>[];
  readonly #joined: (first: Row, second: Row) => Row;
  readonly #listeners = new Set<() => void>();
  readonly #leaving = new AbortController();
  #reading: Promise<void> | undefined;
  #isMoreAsked = false;
  rows: readonly Row[] = [];
  refused: Refused | undefined;
  /** Down to here everything was looked at. */
  horizon = Number.POSITIVE_INFINITY;

  /** `joined`: how one row is made of two that have the same id, one of each feed. */
  constructor(feeds: readonly Feed<Row>[], joined: (first: Row, second: Row) => Row = (first) => first) {
    this.#feeds = feeds.map((feed) => ({
      ...{ feed, rows: new Map(), next: undefined, isBegun: false, arrived: 0 },
      ...{ newestAt: Number.NEGATIVE_INFINITY, oldestAt: Number.POSITIVE_INFINITY },
    }));
    this.#joined = joined;
  }

  get isBegun(): boolean {
    return this.#feeds.every(({ isBegun }) => isBegun);
  }

  get isWhole(): boolean {
    return this.#feeds.every(isRead);
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  leave(): void {
    this.#leaving.abort();
    this.#listeners.clear();
  }

  /** Reads on until there is something new to show. */
  async more(): Promise<void> {
    if (this.isWhole || this.#isMoreAsked) return;
    // Before the first page is there, more is that page.
    if (!this.isBegun && this.#reading !== undefined) return this.#reading;
    this.#isMoreAsked = true;
    // A list that was asked for more gets more, also where it is being refreshed right now.
    while (this.#reading !== undefined) await this.#reading;
    this.#isMoreAsked = false;
    await this.#read(async () => {
      const before = this.rows.length;
      for (let pages = 0; pages < MOST_PAGES && this.rows.length === before && !this.isWhole; pages += 1) {
        await Promise.all(this.#limiting().map((each) => this.#readOn(each)));
        this.#arrange();
      }
    });
  }

  /** The newest page once more: what came since then, and what became of those that were there. */
  refresh(): Promise<void> {
    if (!this.isBegun) return this.more();
    return this.#read(async () => {
      await Promise.all(this.#feeds.map((each) => this.#readAgain(each)));
      this.#arrange();
    });
  }

  async #read(work: () => Promise<void>): Promise<void> {
    if (this.#reading !== undefined || this.#leaving.signal.aborted) return;
    this.#reading = this.#told(work);
    await this.#reading;
  }

  async #told(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.refused = undefined;
    } catch (error) {
      if (this.#leaving.signal.aborted) return;
      if (!(error instanceof Refused)) throw error;
      this.refused = error;
    } finally {
      this.#reading = undefined;
    }
    for (const listener of this.#listeners) listener();
  }

  /** Those that have not been read as far back as the others. */
  #limiting(): readonly ReadFeed<Row>[] {
    const unread = this.#feeds.filter((each) => !isRead(each));
    const newest = Math.max(...unread.map(({ oldestAt }) => oldestAt));
    return unread.filter(({ oldestAt }) => oldestAt === newest);
  }

  async #readOn(each: ReadFeed<Row>): Promise<void> {
    const page = await each.feed(each.next, this.#leaving.signal);
    for (const row of page.rows) each.rows.set(row.id, row);
    each.newestAt = Math.max(each.newestAt, page.newestAt ?? Number.NEGATIVE_INFINITY);
    each.oldestAt = page.oldestAt ?? each.oldestAt;
    each.next = page.next;
    each.isBegun = true;
    each.arrived = 0;
  }

  async #readAgain(each: ReadFeed<Row>): Promise<void> {
    const page = await each.feed(undefined, this.#leaving.signal);
    each.arrived += page.rows.filter(({ id }) => !each.rows.has(id)).length;
    const isLong = each.arrived > MOST_ARRIVED;
    // More came than a page holds: there would be a hole between the two, so the list begins anew.
    const isTorn = page.next !== undefined && (isLong || (page.oldestAt ?? 0) > each.newestAt);
    const fresh = page.rows.map((row) => [row.id, row] as const);
    each.rows = new Map(isTorn ? fresh : [...fresh, ...without(each.rows, fresh)]);
    each.newestAt = Math.max(each.newestAt, page.newestAt ?? each.newestAt);
    if (!isTorn) return;
    each.arrived = 0;
    each.oldestAt = page.oldestAt ?? each.oldestAt;
    each.next = page.next;
  }

  #arrange(): void {
    this.horizon = Math.max(...this.#feeds.map((each) => (isRead(each) ? Number.NEGATIVE_INFINITY : each.oldestAt)));
    const all = new Map<string, Row>();
    for (const { rows } of this.#feeds)
      for (const [id, row] of rows) {
        const other = all.get(id);
        all.set(id, other === undefined ? row : this.#joined(other, row));
      }
    this.rows = [...all.values()].filter(({ at }) => at >= this.horizon).sort(byTime);
  }
}

const isRead = <Row>({ isBegun, next }: ReadFeed<Row>): boolean => isBegun && next === undefined;

const without = <Row>(rows: Map<string, Row>, fresh: readonly (readonly [string, Row])[]) => {
  const known = new Set(fresh.map(([id]) => id));
  return [...rows].filter(([id]) => !known.has(id));
};

const byTime = (a: FeedRow, b: FeedRow): number => b.at - a.at || (a.id < b.id ? 1 : -1);
