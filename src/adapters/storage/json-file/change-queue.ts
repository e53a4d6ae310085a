// Changes to one file's content, in order, by one writer: all that arrive while a write is under way share the next one.

import { StorageError } from '../../../errors/storage-error.ts';

/** One change to a copy of the content; it throws before it touches anything, or says whether it touched something. */
export type Change<Content, T> = (draft: Content) => { readonly changed: boolean; readonly result: T };

export interface ChangeQueue<Content> {
  /** What the disk has. */
  read(): Content;
  /** Resolves when the change is on the disk. When the write fails, every change that shared it is rejected and undone. */
  change<T>(work: Change<Content, T>): Promise<T>;
  /** Resolves when everything taken has been written. */
  close(): Promise<void>;
}

export interface ChangeQueueOptions<Content> {
  readonly path: string;
  readonly content: Content;
  readonly copy: (content: Content) => Content;
  readonly write: (content: Content) => Promise<void>;
}

interface Waiting<Content> {
  apply(draft: Content): boolean;
  resolve(): void;
  reject(error: unknown): void;
}

export function createChangeQueue<Content>(options: ChangeQueueOptions<Content>): ChangeQueue<Content> {
  const { path, copy, write } = options;
  let content = options.content;
  let waiting: Waiting<Content>[] = [];
  let running: Promise<void> | undefined;
  let closed = false;
  const assertOpen = (): void => {
    if (closed) throw new StorageError(`${path} is closed; start Signalbox again`);
  };

  async function carryOut(batch: readonly Waiting<Content>[]): Promise<void> {
    const draft = copy(content);
    const taken: Waiting<Content>[] = [];
    let changed = false;
    for (const each of batch) {
      try {
        changed = each.apply(draft) || changed;
        taken.push(each);
      } catch (error) {
        each.reject(error);
      }
    }
    try {
      if (changed) await write(draft);
      content = draft;
      for (const each of taken) each.resolve();
    } catch (error) {
      for (const each of taken) each.reject(error);
    }
  }

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await carryOut(batch);
    }
    running = undefined;
  }

  return {
    read() {
      assertOpen();
      return content;
    },
    async change<T>(work: Change<Content, T>): Promise<T> {
      assertOpen();
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      let outcome: T;
      waiting.push({
        apply(draft) {
          const { changed, result } = work(draft);
          outcome = result;
          return changed;
        },
        resolve: () => resolve(outcome),
        reject,
      });
      // In a turn of its own, so that all changes of this turn share the first write.
      running ??= Promise.resolve().then(run);
      return promise;
    },
    async close() {
      closed = true;
      await running;
    },
  };
}
