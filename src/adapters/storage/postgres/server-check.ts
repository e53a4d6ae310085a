// Refuses a server that would lose what it has committed, or that cannot take what Signalbox writes.

import { StorageError } from '../../../errors/storage-error.ts';
import type { Connection } from './connection.ts';

/** Each of them off means that a crash of the machine may lose commits that were answered, or damage the data. */
const NEEDED_FOR_DURABILITY = ['fsync', 'synchronous_commit', 'full_page_writes'];
/** With these a commit is answered before a synchronous replica has it on its disk, so that a fail-over loses it. */
const BEFORE_THE_REPLICA = ['local', 'remote_write'];
const OLDEST_VERSION = 14;

export async function assertServerFits(connection: Connection, where: string): Promise<void> {
  const names = ['server_version_num', 'server_encoding', 'synchronous_standby_names', ...NEEDED_FOR_DURABILITY];
  const { rows } = await connection.ask(
    `SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}, pg_is_in_recovery() AS "isStandby"`,
  );
  const [found = {}] = rows;
  const refuse = (words: string): never => {
    throw new StorageError(`PostgreSQL at ${where} ${words}`);
  };
  const version = Math.floor(Number(found.server_version_num) / 10_000);
  if (version < OLDEST_VERSION) refuse(`is version ${version}; Signalbox needs ${OLDEST_VERSION} or newer`);
  if (found.isStandby === 1) refuse('is a standby and takes no writes; set DATABASE_URL to the primary');
  if (found.server_encoding !== 'UTF8')
    refuse(`keeps its texts as ${found.server_encoding}; make the database anew with ENCODING 'UTF8'`);
  const off = NEEDED_FOR_DURABILITY.filter((name) => found[name] === 'off');
  if (off.length > 0)
    refuse(
      `has ${off.join(' and ')} off, so that a crash could lose answered signals; turn ${off.length > 1 ? 'them' : 'it'} on`,
    );
  const commits = String(found.synchronous_commit);
  if (found.synchronous_standby_names !== '' && BEFORE_THE_REPLICA.includes(commits))
    refuse(
      `has a synchronous replica and synchronous_commit=${commits}, so that a fail-over could lose answered signals; set it to on`,
    );
}
