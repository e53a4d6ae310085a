// The port of published libraries: every user's apart from every other user's.

import type { LibraryName } from '../pine/light.ts';
import { KEPT_WITHDRAWN, MAX_PUBLICATIONS_PER_USER, type Publication, type PublicationSummary } from './publication.ts';
import { MAX_STORED_BYTES_PER_USER } from './script.ts';
import type { Full } from './script-store.ts';

export interface NewPublication extends Omit<Publication, 'version' | 'contentBytes'> {
  /** The next free one when left out. */
  readonly version?: number | undefined;
}

export interface Published {
  readonly kind: 'published';
  /** False for code that was published before: it keeps the version it has. */
  readonly isNew: boolean;
  readonly record: PublicationSummary;
}

/** The version belongs to other code; `next` is free. */
export interface Taken {
  readonly kind: 'taken';
  readonly version: number;
  readonly next: number;
}

/** Another published library imports it. */
export interface InUse {
  readonly kind: 'in-use';
  readonly by: LibraryName;
}

/**
 * What a call says is durable when its promise resolves, and each write is one step. A version is never given to other
 * code: not while it is there, and not after it was withdrawn. No call for a user reaches another user's rows.
 */
export interface PublicationStore {
  publish(userId: string, wanted: NewPublication): Promise<Published | Taken | Full>;
  /** All of a user's, the one published last first. */
  list(userId: string): Promise<readonly PublicationSummary[]>;
  /** Of one library, the highest version first. */
  versions(userId: string, namespace: string, name: string): Promise<readonly PublicationSummary[]>;
  read(userId: string, library: LibraryName): Promise<Publication | undefined>;
  withdraw(
    userId: string,
    library: LibraryName,
  ): Promise<{ readonly kind: 'withdrawn' } | { readonly kind: 'missing' } | InUse>;
}

export interface PublicationLimits {
  readonly publicationsPerUser: number;
  /** Of scripts, their versions and published libraries together, in UTF-8. */
  readonly bytesPerUser: number;
  readonly keptWithdrawn: number;
}

export const PUBLICATION_LIMITS: PublicationLimits = {
  publicationsPerUser: MAX_PUBLICATIONS_PER_USER,
  bytesPerUser: MAX_STORED_BYTES_PER_USER,
  keptWithdrawn: KEPT_WITHDRAWN,
};
