// The port behind access: the owner's password with its second factor, the sessions, and the audit of every change of them.

import type { Session } from './session.ts';

export interface OwnerPassword {
  /** With its salt and parameters, see password.ts. */
  readonly hash: string;
  readonly totp?: OwnerTotp | undefined;
}

export interface OwnerTotp {
  /** In base32, sealed where there is a master key (totp-seal.ts). */
  readonly secret: string;
  /** Of the last code that let somebody in: each does so once. */
  readonly lastStep: number;
  /** SHA-256 of those that are left, hex. */
  readonly recoveryDigests: readonly string[];
}

export interface AccessAuditEntry {
  readonly atMs: number;
  readonly actor: string;
  readonly setting: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Inside of a step. */
export interface AccessReads {
  password(): OwnerPassword | undefined;
  /** By the digest of its family. */
  session(familyDigest: string): Session | undefined;
  /** Oldest first, those that have ended by time among them. */
  sessions(): readonly Session[];
}

export interface AccessWrites extends AccessReads {
  /** None takes it away. */
  putPassword(password: OwnerPassword | undefined): void;
  insertSession(session: Session): void;
  /** One that is not there any more stays away. */
  updateSession(session: Session): void;
  removeSession(id: string): void;
  audit(entry: AccessAuditEntry): void;
}

/** What the rows were when they were read; whatever is written goes by those of its own step. */
export interface AccessStore {
  password(): Promise<OwnerPassword | undefined>;
  session(familyDigest: string): Promise<Session | undefined>;
  sessions(): Promise<readonly Session[]>;
  /**
   * One step: all of it is stored when it resolves, or nothing, and nobody else changes anything meanwhile. An AccessFault
   * that is thrown takes it back. The work does not wait for anything, and may be run twice.
   */
  change<T>(work: (rows: AccessWrites) => T): Promise<T>;
}
