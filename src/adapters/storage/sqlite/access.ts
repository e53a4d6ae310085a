// The owner's password and his sessions in the owner's database.

import { AccessFault } from '../../../access/access-fault.ts';
import type { AccessReads, AccessStore, AccessWrites, OwnerPassword } from '../../../access/access-store.ts';
import type { Session } from '../../../access/session.ts';
import type { Row } from './database.ts';
import type { RestrictionStoreParts } from './restrictions.ts';

export function createAccessStore({ sql, all, inOneStep, appendAudit }: RestrictionStoreParts): AccessStore {
  const reads: AccessReads = {
    password: () => all('SELECT * FROM owner_password').map(passwordOf)[0],
    session: (familyDigest) => all('SELECT * FROM sessions WHERE family_digest = ?', familyDigest).map(sessionOf)[0],
    sessions: () => all('SELECT * FROM sessions ORDER BY created_at, session_id').map(sessionOf),
  };
  const rows: AccessWrites = {
    ...reads,
    putPassword(password) {
      sql('DELETE FROM owner_password').run();
      if (password === undefined) return;
      const { hash, totp } = password;
      sql(`INSERT INTO owner_password (only_row, hash, totp_secret, totp_last_step, recovery_digests)
        VALUES (1, ?, ?, ?, ?)`).run(
        ...[hash, totp?.secret ?? null, totp?.lastStep ?? null, totp ? JSON.stringify(totp.recoveryDigests) : null],
      );
    },
    insertSession(session) {
      sql(`INSERT INTO sessions (family_digest, chain_key, digest, previous_digest, confirmed_at, created_at,
        last_used_at, address, user_agent, session_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
        ...columnsOf(session),
      );
    },
    updateSession(session) {
      sql(`UPDATE sessions SET family_digest = ?, chain_key = ?, digest = ?, previous_digest = ?, confirmed_at = ?,
        created_at = ?, last_used_at = ?, address = ?, user_agent = ? WHERE session_id = ?`).run(...columnsOf(session));
    },
    removeSession: (id) => void sql('DELETE FROM sessions WHERE session_id = ?').run(id),
    audit: appendAudit,
  };
  return {
    password: async () => reads.password(),
    session: async (familyDigest) => reads.session(familyDigest),
    sessions: async () => reads.sessions(),
    change: (work) => refusable(inOneStep)(() => work(rows)),
  };
}

/** A fault of whoever wanted to enter takes the step back, and is not the storage's. */
const refusable =
  (inOneStep: RestrictionStoreParts['inOneStep']): RestrictionStoreParts['inOneStep'] =>
  async (work) => {
    let refusal: AccessFault | undefined;
    try {
      return await inOneStep(() => {
        try {
          return work();
        } catch (error) {
          if (error instanceof AccessFault) refusal = error;
          throw error;
        }
      });
    } catch (error) {
      throw refusal ?? error;
    }
  };

const columnsOf = (session: Session) => [
  ...[session.familyDigest, session.chainKey, session.digest, session.previousDigest ?? null],
  ...[session.confirmedAtMs ?? null, session.createdAtMs, session.lastUsedAtMs],
  ...[session.address, session.userAgent, session.id],
];

const sessionOf = (row: Row): Session => ({
  id: row.session_id as string,
  familyDigest: row.family_digest as string,
  chainKey: row.chain_key as string,
  digest: row.digest as string,
  previousDigest: (row.previous_digest as string | null) ?? undefined,
  confirmedAtMs: (row.confirmed_at as number | null) ?? undefined,
  createdAtMs: row.created_at as number,
  lastUsedAtMs: row.last_used_at as number,
  address: row.address as string,
  userAgent: row.user_agent as string,
});

function passwordOf(row: Row): OwnerPassword {
  const { hash, totp_secret: secret, totp_last_step: lastStep, recovery_digests: digests } = row;
  if (secret === null) return { hash: hash as string };
  const recoveryDigests = JSON.parse(digests as string) as string[];
  return { hash: hash as string, totp: { secret: secret as string, lastStep: lastStep as number, recoveryDigests } };
}
