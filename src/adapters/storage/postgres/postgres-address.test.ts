// DATABASE_URL: its parts, and what is wrong with it, told without showing it.

import { describe, expect, test } from 'vitest';
import { readPostgresAddress } from './postgres-address.ts';

describe('an address of a PostgreSQL', () => {
  test.each([
    [
      'postgres://user:pass@host/db',
      { host: 'host', port: 5432, database: 'db', user: 'user', password: 'pass', tls: false },
    ],
    ['postgresql://user@host:1/db', { port: 1, password: '' }],
    [
      ' postgres://u%40s:p%2Fa%3F@host/d%20b ',
      { user: 'u@s', password: 'p/a?', database: 'd b', where: 'host:5432/d b' },
    ],
    ['postgres://u:p@[::1]:5433/db', { host: '::1', port: 5433, where: '[::1]:5433/db' }],
    ['postgres://u:p@host/db?sslmode=disable', { tls: false }],
    ['postgres://u:p@host/db?sslmode=require', { tls: { rejectUnauthorized: false } }],
    ['postgres://u:p@host/db?sslmode=verify-full', { tls: { rejectUnauthorized: true } }],
  ])('%s', (url, parts) => {
    expect(readPostgresAddress(url)).toMatchObject(parts);
  });

  test.each([
    ['', /is no address of a PostgreSQL; write it like postgres:\/\/user:password@host:5432\/database/],
    ['mysql://user:secret@host/db', /is no address/],
    ['postgres://host/db', /is no address/],
    ['postgres://user:secret@host', /is no address/],
    ['postgres://user:secret@host/', /is no address/],
    ['postgres://user:secret@host/a/b', /is no address/],
    ['postgres://user:secret@host/db?sslmode=prefer', /only \?sslmode=disable, require or verify-full may stand there/],
    ['postgres://user:secret@host/db?sslmode=constructor', /only \?sslmode/],
    ['postgres://user:secret@host/db?options=-c', /only \?sslmode/],
    ['postgres://user:secret@host/db#more', /only \?sslmode/],
    ['postgres://user:secret%@host/db', /has a broken % in one of its parts; write a % there as %25/],
  ])('%s is refused', (url, words) => {
    const read = () => readPostgresAddress(url);
    expect(read).toThrow(words);
    expect(read).not.toThrow(/secret/);
  });
});
