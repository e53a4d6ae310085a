// Between rows and records of the script library: columns in, records out, with nothing left undefined in them.

import type { Draft, DraftText, Script, ScriptSummary } from '../../../../../library/script.ts';
import type { Usage } from '../../../../../library/usage.ts';
import type { Row } from '../../sql.ts';

/** Of a script joined with one of its versions: everything but the text. */
export const SUMMARY_COLUMNS = `scripts.id, versions.revision, versions.name, versions.description, versions.path,
  scripts.created_at, versions.updated_at, versions.content_bytes`;

export const textColumns = (text: DraftText): (string | null)[] => [
  text.name ?? null,
  text.description ?? null,
  text.path ?? null,
  text.content,
];

export const summaryOf = (row: Row): ScriptSummary => ({
  id: row.id as string,
  name: row.name as string,
  ...optionalOf(row),
  ...revisionOf(row),
  contentBytes: row.content_bytes as number,
});

export const scriptOf = (row: Row): Script => ({
  id: row.id as string,
  name: row.name as string,
  ...optionalOf(row),
  content: row.content as string,
  ...revisionOf(row),
});

export const draftOf = (row: Row): Draft => ({
  ...(row.name === null ? {} : { name: row.name as string }),
  ...optionalOf(row),
  content: row.content as string,
  ...revisionOf(row),
});

export const usageOf = (row: Row): Usage => ({
  calls: row.calls as number,
  firstUsedAtMs: row.first_used_at as number,
  lastUsedAtMs: row.last_used_at as number,
});

const optionalOf = (row: Row): Pick<Script, 'description' | 'path'> => ({
  ...(row.description === null ? {} : { description: row.description as string }),
  ...(row.path === null ? {} : { path: row.path as string }),
});

const revisionOf = (row: Row): Pick<Script, 'revision' | 'createdAtMs' | 'updatedAtMs'> => ({
  revision: row.revision as number,
  createdAtMs: row.created_at as number,
  updatedAtMs: row.updated_at as number,
});
