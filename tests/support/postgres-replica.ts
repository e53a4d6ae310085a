// A copy of the folder of a PostgreSQL that runs, for a replica of it: what `pg_basebackup` does, which the package from npm has not.

import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { PostgresOwner } from './find-postgres.ts';

/** What belongs to the process that runs, or is fetched from it afterwards. */
const LEFT_OUT = ['postmaster.pid', 'postmaster.opts', 'standby.signal', 'recovery.signal'];
/** Folders that every server makes its own contents of. */
const EMPTY = [
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
];

interface Primary {
  /** Its address, of a superuser. */
  readonly url: string;
  /** Its data. */
  readonly folder: string;
  readonly owner: PostgresOwner | undefined;
}

/** The data folder of a replica that follows this one when it is started. */
export async function copyForReplica({ url, folder, owner }: Primary): Promise<string> {
  const parent = mkdtempSync(join(tmpdir(), 'signalbox-postgres-'));
  owner?.own([parent]);
  const target = join(parent, 'data');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('replica', true)");
    copyFolder(folder, target, '', owner);
    // Until here the copied files are of many moments; the label says from where the log makes one moment of them.
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
    const { hostname, port, username, password } = new URL(url);
    const address = `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)} sslmode=disable`;
    const files = {
      backup_label: String(rows[0]?.labelfile),
      'standby.signal': '',
      'postgresql.auto.conf': `primary_conninfo = '${address}'\n`,
    };
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(target, name), text);
      owner?.own([join(target, name)]);
    }
    return target;
  } finally {
    await client.end();
  }
}

function copyFolder(from: string, to: string, below: string, owner: PostgresOwner | undefined): void {
  mkdirSync(join(to, below));
  chmodSync(join(to, below), 0o700);
  owner?.own([join(to, below)]);
  for (const entry of readdirSync(join(from, below), { withFileTypes: true })) {
    const path = join(below, entry.name);
    if (entry.isDirectory()) copyFolder(from, to, path, owner);
    else if (!LEFT_OUT.includes(path) && !EMPTY.includes(below)) copyFile(join(from, path), join(to, path), owner);
  }
}

function copyFile(from: string, to: string, owner: PostgresOwner | undefined): void {
  try {
    copyFileSync(from, to);
  } catch (error) {
    // The server removes files meanwhile; its log tells the replica so.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && !isThere(from)) return;
    throw error;
  }
  owner?.own([to]);
}

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;
