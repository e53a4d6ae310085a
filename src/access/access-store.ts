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

/** Synchronous, and durable when a call returns. */
export interface AccessStore extends AccessReads {
  /**
   * One step: all of it is stored, or nothing, and no other process changes anything meanwhile. An AccessFault that is
   * thrown takes it back. The work may be run twice.
   */
  change<T>(work: (rows: AccessWrites) => T): T;
}
