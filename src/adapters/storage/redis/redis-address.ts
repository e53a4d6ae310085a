// Reads REDIS_URL into its parts; whatever is wrong with it is told without showing it, because it may hold a password.

import { StorageError } from '../../../errors/storage-error.ts';

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly database: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly isTls: boolean;
  /** For people: host and port, never the password. */
  readonly where: string;
}

const USUAL_PORT = 6379;
const DATABASE = /^\/?(\d{0,5})$/;

export function readRedisAddress(url: string): RedisAddress {
  const parsed = URL.parse(url.trim());
  const isTls = parsed?.protocol === 'rediss:';
  const [, database] = DATABASE.exec(parsed?.pathname ?? '-') ?? [];
  if (parsed === null || !(isTls || parsed.protocol === 'redis:') || parsed.hostname === '' || database === undefined)
    throw new StorageError(
      'REDIS_URL is no address of a Redis; write it like redis://user:password@host:6379/0, or rediss:// for TLS',
    );
  if (parsed.search !== '' || parsed.hash !== '')
    throw new StorageError('REDIS_URL has something behind the database; end it there, like redis://host:6379/0');
  const port = parsed.port === '' ? USUAL_PORT : Number(parsed.port);
  return {
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port,
    database: Number(database),
    username: decoded(parsed.username),
    password: decoded(parsed.password),
    isTls,
    where: `${parsed.hostname}:${port}`,
  };
}

function decoded(part: string): string | undefined {
  try {
    return part === '' ? undefined : decodeURIComponent(part);
  } catch {
    throw new StorageError('REDIS_URL has a broken % in its user name or password; write a % there as %25');
  }
}
