// What a backup says of itself, as its first file: what is in it, of which version, and how each file can be proved.

import { z } from 'zod';
import { StorageError } from '../../../../errors/storage-error.ts';
import type { DatabaseFacts } from '../database-facts.ts';
import { OWNER, STRANGERS, TRADING } from '../database-files.ts';

export const MANIFEST = 'manifest.json';
const FORM = 1;

/** In a backup: outside, its owner calls it what he likes. */
export const WALLET_KEY_FILE = 'wallet-key.json';

const DATABASES: readonly string[] = [TRADING.name, OWNER.name, STRANGERS.name, 'api_keys.db'];
/**
 * Everything that a backup of this form may hold. Any other name could lead out of the folder, or be one that means something to a
 * start. A name more is another form.
 */
const NAMES: readonly string[] = [...DATABASES, 'api_keys.json', 'master.key', WALLET_KEY_FILE];

export interface BackupFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Absent for what is no database. */
  readonly database?: DatabaseFacts;
}

export interface Manifest {
  /** Of this form; a later one may mean something else by the same names. */
  readonly form: typeof FORM;
  /** The release that made it. */
  readonly version: string;
  readonly madeAt: string;
  readonly files: readonly BackupFile[];
  /** What the instance has and this backup does not, in words. */
  readonly leftOut: readonly string[];
}

const count = z.int().nonnegative();
const facts = z.object({ migration: z.string(), rows: z.record(z.string(), count) });
const file = z.object({
  name: z.string(),
  bytes: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  database: facts.optional(),
});
const schema = z.object({
  form: z.literal(FORM),
  version: z.string(),
  madeAt: z.iso.datetime(),
  files: z.array(file),
  leftOut: z.array(z.string()),
});
/** What can be told of one of any form. */
const anyForm = z.object({ form: z.unknown(), version: z.string() });

export const manifestOf = (parts: Omit<Manifest, 'form'>): Manifest => ({ form: FORM, ...parts });

/** As it was written. It comes from outside: whoever can write where backups lie may have changed it. */
export function readManifest(text: string): Manifest {
  const told = parsed(text);
  const { data: other } = anyForm.safeParse(told);
  if (other !== undefined && other.form !== FORM)
    throw new StorageError(
      `the backup was made by another version of Signalbox (${other.version}); restore it with that version`,
    );
  const { error } = schema.safeParse(told);
  if (error !== undefined) throw damaged(`is not as Signalbox writes it (${faultIn(error)})`);
  const manifest = told as Manifest;
  assertNames(manifest.files);
  assertTogether(manifest.files.map(({ name }) => name));
  return manifest;
}

const damaged = (how: string): StorageError =>
  new StorageError(
    `the backup is damaged, or somebody has changed it: its manifest ${how}; take another one, or fetch this one again`,
  );

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw damaged('cannot be read');
  }
}

function faultIn(error: z.ZodError): string {
  const [first] = error.issues;
  const path = first?.path.map(String).join('.') ?? '';
  return `${path === '' ? 'all of it' : path}: ${first?.message ?? ''}`;
}

function assertNames(files: readonly BackupFile[]): void {
  const seen = new Set<string>();
  for (const { name, database } of files) {
    if (!NAMES.includes(name)) throw damaged(`names ${JSON.stringify(name)}, which Signalbox puts into no backup`);
    if (seen.has(name)) throw damaged(`names ${name} twice`);
    // Without its facts nobody could tell whether the database is whole.
    if (DATABASES.includes(name) !== (database !== undefined))
      throw damaged(`is not as Signalbox writes it (${name}: whether it is a database)`);
    seen.add(name);
  }
}

/** The kill switch is in one, and what it holds back in the other: a restore marks both, or there is nothing to mark. */
function assertTogether(names: readonly string[]): void {
  if (names.length === 0) throw damaged('has nothing in it');
  for (const [has, lacks] of [
    [TRADING.name, OWNER.name],
    [OWNER.name, TRADING.name],
  ] as const)
    if (names.includes(has) && !names.includes(lacks))
      throw damaged(
        `has ${has} and not ${lacks}, and only with both can a restore throw the kill switch over the trades`,
      );
}
