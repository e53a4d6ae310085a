// What a backup says of itself, as its first file: what is in it, of which version, and how each file can be proved.

import { StorageError } from '../../../../errors/storage-error.ts';
import type { DatabaseFacts } from '../database-facts.ts';

export const MANIFEST = 'manifest.json';
const FORM = 1;

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

export const manifestOf = (parts: Omit<Manifest, 'form'>): Manifest => ({ form: FORM, ...parts });

export function readManifest(text: string): Manifest {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(text) as Manifest;
  } catch {
    throw new StorageError('the backup is damaged: its manifest cannot be read; take another one');
  }
  if (manifest.form !== FORM || !manifest.files.every(({ name }) => /^[\w.-]+$/.test(name) && !name.startsWith('.')))
    throw new StorageError(
      `the backup was made by another version of Signalbox (${manifest.version}); restore it with that version`,
    );
  return manifest;
}
