// What the owner saves under names, so that every browser of his has it: layouts of charts, templates of indicators, and queries.
//
// Each save has a revision that no other has ever had, also after one was removed. Whoever names the revision that he has read is
// refused where another is there by now: of two browsers none overwrites the other unseen.

import type { KnownRevision } from './scripts.ts';

export const LAYOUT_KINDS = ['layout', 'template', 'query'] as const;
export type LayoutKind = (typeof LAYOUT_KINDS)[number];

export interface LayoutName {
  readonly kind: LayoutKind;
  readonly name: string;
}

export interface LayoutSummary extends LayoutName {
  readonly revision: number;
  /** One line for lists. */
  readonly about: string;
  readonly updatedAtMs: number;
}

export interface Layout extends LayoutSummary {
  /** JSON. */
  readonly content: string;
}

/** Inside of a step. */
export interface LayoutReads {
  /** By kind and name. */
  list(): readonly LayoutSummary[];
  /** Without its content: nothing is decided by that. */
  find(name: LayoutName): LayoutSummary | undefined;
}

export interface LayoutWrites extends LayoutReads {
  /** Greater than all that were ever given. */
  nextRevision(): number;
  put(layout: Layout): void;
  remove(name: LayoutName): void;
}

/** The port. */
export interface LayoutStore {
  /** By kind and name. */
  list(): Promise<readonly LayoutSummary[]>;
  find(name: LayoutName): Promise<Layout | undefined>;
  /**
   * One step: all of it is stored when it resolves, or nothing, and nobody else changes anything meanwhile. The work does
   * not wait for anything, and may be run twice.
   */
  change<T>(work: (rows: LayoutWrites) => T): Promise<T>;
}

export interface SavedLayout extends LayoutName {
  readonly about: string;
  readonly content: string;
  /** Undefined: whatever is there is replaced. */
  readonly revision?: KnownRevision;
}

export type LayoutOutcome =
  | { readonly kind: 'done'; readonly layout: LayoutSummary }
  | { readonly kind: 'missing' }
  | { readonly kind: 'full' }
  | { readonly kind: 'conflict'; readonly revision: number };

/** Of each kind: more than anybody finds again. */
export const MAX_LAYOUTS = 100;
export const MAX_LAYOUT_NAME_CHARS = 60;
export const MAX_LAYOUT_ABOUT_CHARS = 200;
/** Some ten long scripts. */
export const MAX_LAYOUT_BYTES = 256 * 1024;

export interface LayoutsParts {
  readonly store: LayoutStore;
  readonly nowMs: () => number;
}

export class Layouts {
  readonly #parts: LayoutsParts;

  constructor(parts: LayoutsParts) {
    this.#parts = parts;
  }

  async list(kind: LayoutKind | undefined): Promise<readonly LayoutSummary[]> {
    return (await this.#parts.store.list()).filter((layout) => kind === undefined || layout.kind === kind);
  }

  find(name: LayoutName): Promise<Layout | undefined> {
    return this.#parts.store.find(name);
  }

  save({ kind, name, about, content, revision }: SavedLayout): Promise<LayoutOutcome> {
    const { store, nowMs } = this.#parts;
    return store.change((rows): LayoutOutcome => {
      const before = rows.find({ kind, name });
      if (!isRead(revision, before)) return { kind: 'conflict', revision: before?.revision ?? 0 };
      const isOneTooMany = rows.list().filter((each) => each.kind === kind).length >= MAX_LAYOUTS;
      if (before === undefined && isOneTooMany) return { kind: 'full' };
      const layout = { kind, name, about, content, revision: rows.nextRevision(), updatedAtMs: nowMs() };
      rows.put(layout);
      return { kind: 'done', layout };
    });
  }

  remove(name: LayoutName, revision: KnownRevision): Promise<LayoutOutcome> {
    return this.#parts.store.change((rows): LayoutOutcome => {
      const before = rows.find(name);
      if (before === undefined) return { kind: 'missing' };
      if (!isRead(revision, before)) return { kind: 'conflict', revision: before.revision };
      rows.remove(name);
      return { kind: 'done', layout: before };
    });
  }
}

const isRead = (revision: KnownRevision, before: LayoutSummary | undefined): boolean =>
  revision === 'present' ? before !== undefined : revision === undefined || revision === (before?.revision ?? 0);
