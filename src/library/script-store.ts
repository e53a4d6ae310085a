// The port of the script library: every user's scripts, versions and draft, apart from every other user's.

import {
  type Draft,
  type DraftText,
  KEPT_RETIRED_IDS,
  KEPT_VERSIONS,
  MAX_SCRIPTS_PER_USER,
  MAX_STORED_BYTES_PER_USER,
  type Script,
  type ScriptSummary,
  type ScriptText,
} from './script.ts';

/**
 * What must be there for a write to happen. none: anything or nothing. absent: nothing. present: any revision.
 * A number: that revision and no other.
 */
export type Precondition = 'none' | 'absent' | 'present' | number;

/** Somebody else wrote first. The revision that is there, 0 where nothing is. */
export interface Conflict {
  readonly kind: 'conflict';
  readonly remoteRevision: number;
}

export interface ScriptWrite {
  readonly id: string;
  readonly text: ScriptText;
  readonly atMs: number;
  readonly precondition: Precondition;
}

export interface DraftWrite {
  readonly text: DraftText;
  readonly atMs: number;
  readonly precondition: Precondition;
}

export interface Written<T> {
  readonly kind: 'written';
  readonly created: boolean;
  readonly record: T;
}

/** The library holds as much as it may: too-many scripts, or no-room for more bytes. */
export type Full = { readonly kind: 'too-many' } | { readonly kind: 'no-room' };

/** A script at its place in the list. Places count up with each new script of a user and are never used again. */
export interface PlacedSummary {
  readonly place: number;
  readonly summary: ScriptSummary;
}

/**
 * What a call says is durable when its promise resolves, and each write is one step: the check, the new revision and
 * the pruning happen together or not at all. Of two writers that name the same revision exactly one wins.
 *
 * The revision of a deleted id is remembered, and the id goes on from there when it is used again. Otherwise a client
 * that slept through the deletion could hold a revision that fits by chance, and overwrite what it has never seen.
 */
export interface ScriptStore {
  /** Newest first, all of them below a place if one is given. An update does not move a script. */
  list(userId: string, page: { readonly limit: number; readonly below?: number }): Promise<readonly PlacedSummary[]>;
  read(userId: string, id: string): Promise<Script | undefined>;
  write(userId: string, write: ScriptWrite): Promise<Written<Script> | Conflict | Full>;
  /** The versions go with it. */
  remove(
    userId: string,
    id: string,
    precondition: 'present' | number,
  ): Promise<{ readonly kind: 'removed' } | Conflict>;
  /** Newest first, the current one among them; none of a script that is not there. */
  versions(userId: string, id: string): Promise<readonly ScriptSummary[]>;
  version(userId: string, id: string, revision: number): Promise<Script | undefined>;
  draft(userId: string): Promise<Draft | undefined>;
  writeDraft(userId: string, write: DraftWrite): Promise<Written<Draft> | Conflict>;
}

export interface ScriptStoreLimits {
  readonly scriptsPerUser: number;
  /** Of the contents of all versions, in UTF-8. A version that a save pushes out makes room for it. */
  readonly bytesPerUser: number;
  readonly keptVersions: number;
  readonly keptRetiredIds: number;
}

export const STORE_LIMITS: ScriptStoreLimits = {
  scriptsPerUser: MAX_SCRIPTS_PER_USER,
  bytesPerUser: MAX_STORED_BYTES_PER_USER,
  keptVersions: KEPT_VERSIONS,
  keptRetiredIds: KEPT_RETIRED_IDS,
};

/** Whether a write may happen over this revision, 0 where nothing is. Every store asks here, so that all agree. */
export function conflictOf(precondition: Precondition, revision: number): Conflict | undefined {
  const holds =
    precondition === 'none' ||
    (precondition === 'absent' && revision === 0) ||
    (precondition === 'present' && revision > 0) ||
    (precondition === revision && revision > 0);
  return holds ? undefined : { kind: 'conflict', remoteRevision: revision };
}
