// The owner's password and his sessions in the owner's database.

import type { AccessStore, AccessWrites, OwnerPassword } from '../../../../access/access-store.ts';
import type { Session } from '../../../../access/session.ts';
import type { Row, SqlReads } from '../sql.ts';
import type { OwnerStep, OwnerSteps } from './owner-steps.ts';

export const createAccessStore = (reads: SqlReads, steps: Pick<OwnerSteps, 'inOneStep'>): AccessStore => ({
  password: () => passwordIn(reads),
  session: async (familyDigest) =>
    (await reads.all('SELECT * FROM sessions WHERE family_digest = ?', familyDigest)).map(sessionOf)[0],
  sessions: () => sessionsIn(reads),
  change: (work) =>
    steps.inOneStep(async (step) => {
      const writes: Write[] = [];
      const password = await passwordIn(step.sql);
      const result = work(
        rowsOf({ password, sessions: await sessionsIn(step.sql) }, (write) => void writes.push(write)),
      );
      for (const write of writes) await write(step);
      return result;
    }),
});

const passwordIn = async (sql: SqlReads): Promise<OwnerPassword | undefined> =>
  (await sql.all('SELECT * FROM owner_password')).map(passwordOf)[0];

const sessionsIn = async (sql: SqlReads): Promise<readonly Session[]> =>
  (await sql.all('SELECT * FROM sessions ORDER BY created_at, session_id')).map(sessionOf);

type Write = (step: OwnerStep) => Promise<unknown>;

interface Found {
  readonly password: OwnerPassword | undefined;
  readonly sessions: readonly Session[];
}

/** The work decides by what was read for it and does not wait; what it writes is carried out in its order afterwards. */
function rowsOf(found: Found, later: (write: Write) => void): AccessWrites {
  let { password, sessions } = found;
  return {
    password: () => password,
    session: (familyDigest) => sessions.find((session) => session.familyDigest === familyDigest),
    sessions: () => sessions,
    putPassword(wanted) {
      password = wanted;
      later(({ sql }) => sql.run('DELETE FROM owner_password'));
      if (wanted === undefined) return;
      const { hash, totp } = wanted;
      later(({ sql }) =>
        sql.run(
          `INSERT INTO owner_password (only_row, hash, totp_secret, totp_last_step, recovery_digests)
          VALUES (1, ?, ?, ?, ?)`,
          ...[hash, totp?.secret ?? null, totp?.lastStep ?? null, totp ? JSON.stringify(totp.recoveryDigests) : null],
        ),
      );
    },
    insertSession(session) {
      sessions = [...sessions, session].sort(byAge);
      later(({ sql }) =>
        sql.run(
          `INSERT INTO sessions (family_digest, chain_key, digest, previous_digest, confirmed_at, created_at,
            last_used_at, address, user_agent, session_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          ...columnsOf(session),
        ),
      );
    },
    updateSession(session) {
      sessions = sessions.map((each) => (each.id === session.id ? session : each)).sort(byAge);
      later(({ sql }) =>
        sql.run(
          `UPDATE sessions SET family_digest = ?, chain_key = ?, digest = ?, previous_digest = ?, confirmed_at = ?,
            created_at = ?, last_used_at = ?, address = ?, user_agent = ? WHERE session_id = ?`,
          ...columnsOf(session),
        ),
      );
    },
    removeSession(id) {
      sessions = sessions.filter((each) => each.id !== id);
      later(({ sql }) => sql.run('DELETE FROM sessions WHERE session_id = ?', id));
    },
    audit: (entry) => later(({ audit }) => audit(entry)),
  };
}

const byAge = (a: Session, b: Session): number => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1);

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
