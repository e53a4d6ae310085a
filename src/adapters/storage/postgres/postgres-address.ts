// Reads DATABASE_URL into its parts; whatever is wrong with it is told without showing it, because it may hold a password.

import type { ConnectionOptions } from 'node:tls';
import { StorageError } from '../../../errors/storage-error.ts';

export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly tls: ConnectionOptions | false;
  /** For people: host, port and database, never the password. */
  readonly where: string;
}

const USUAL_PORT = 5432;
const EXAMPLE = 'postgres://user:password@host:5432/database';

/** As PostgreSQL's own programs have them: `require` encrypts, `verify-full` also looks at whose certificate it is. */
const TLS_MODES: ReadonlyMap<string, ConnectionOptions | false> = new Map<string, ConnectionOptions | false>([
  ['disable', false],
  ['require', { rejectUnauthorized: false }],
  ['verify-full', { rejectUnauthorized: true }],
]);

export function readPostgresAddress(url: string): PostgresAddress {
  const parsed = URL.parse(url.trim());
  const database = decoded(parsed?.pathname.slice(1) ?? '');
  const isAddress = parsed !== null && /^postgres(?:ql)?:$/.test(parsed.protocol);
  if (!isAddress || parsed.hostname === '' || parsed.username === '' || database === '' || database.includes('/'))
    throw new StorageError(`DATABASE_URL is no address of a PostgreSQL; write it like ${EXAMPLE}`);
  const { sslmode = 'disable', ...others } = Object.fromEntries(parsed.searchParams);
  const tls = TLS_MODES.get(sslmode);
  if (tls === undefined || Object.keys(others).length > 0 || parsed.hash !== '')
    throw new StorageError(
      'DATABASE_URL has something behind the database that is not known; only ?sslmode=disable, require or verify-full may stand there',
    );
  const port = parsed.port === '' ? USUAL_PORT : Number(parsed.port);
  return {
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port,
    database,
    user: decoded(parsed.username),
    password: decoded(parsed.password),
    tls,
    where: `${parsed.hostname}:${port}/${database}`,
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new StorageError('DATABASE_URL has a broken % in one of its parts; write a % there as %25');
  }
}
