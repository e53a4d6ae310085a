// The program's openapi.json for tests: made from the table of endpoints once in a run, and kept in the folder of the run.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import type { ApiDocument } from './documented-answers.ts';
import { isRunFolder } from './temporary-folder.ts';

/** Kept from the beginning: some tests watch who reads and writes what. */
const { parse, stringify } = JSON;
const FILE = 'openapi-of-this-run.json';

/** To load every service takes seconds, and most test files need only the result: the first one that asks makes it for all. */
export async function apiDocument(): Promise<ApiDocument> {
  const path = join(tmpdir(), FILE);
  if (isRunFolder(tmpdir()) && existsSync(path)) return parse(readFileSync(path, 'utf8'));
  const document = await makeDocument();
  if (isRunFolder(tmpdir())) {
    // Under its name only when it is whole: another process or thread may look for it at this moment.
    const begun = `${path}.${process.pid}.${threadId}`;
    writeFileSync(begun, stringify(document));
    renameSync(begun, path);
  }
  return document as unknown as ApiDocument;
}

async function makeDocument(): Promise<object> {
  const [{ apiTable }, { buildOpenApi }] = await Promise.all([
    import('./api-table.ts'),
    import('../../src/http/openapi.ts'),
  ]);
  const { '': gateway, ...others } = apiTable();
  if (gateway === undefined) throw new Error('the table has no gateway');
  return buildOpenApi({ title: 'Signalbox', version: '0', description: 'For tests.', ...gateway, others });
}
