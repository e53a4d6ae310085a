// /admin/archive: the owner has old rows of the journal moved into archive files, and sees which there are.

import { z } from 'zod';
import { errorText } from '../../errors/error-text.ts';
import type { App } from '../../http/app.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Refusal } from '../../http/errors.ts';
import { type InternalGate, internalGates } from '../../http/internal-auth.ts';
import { mountEndpoints } from '../../http/mount-endpoints.ts';
import { readValid } from '../../http/read-body.ts';
import { parseMoment } from '../../market-data/bar-time.ts';
import { DAY_MS } from '../../trading/books/account-reports.ts';
import { YOUNGEST_DAYS } from '../../trading/books/journal-archive.ts';
import { answer, shaped, TAGS } from './admin-answers.ts';
import { NO_QUERY, readQuery } from './read-query.ts';
import { BAD_BODY, ok, refused } from './responses.ts';
import { described } from './schemas.ts';

/** The last run, or the one under way. */
export interface ArchiveRunState {
  readonly beforeMs: number;
  readonly isRunning: boolean;
  readonly trades: number;
  readonly rows: number;
  readonly months: readonly string[];
  /** Why it ended early. */
  readonly fault: string | undefined;
}

const DATABASES = ['sqlite', 'postgresql'] as const;

export interface ArchiveDeps {
  readonly folder: string;
  /** Of the journal; the archive files are SQLite in any case. */
  readonly database: (typeof DATABASES)[number];
  readonly nowMs: () => number;
  /** Undefined before the first one of this process. */
  lastRun(): ArchiveRunState | undefined;
  begin(beforeMs: number): void;
  completeFromMs(): Promise<number>;
  /** Oldest first. */
  files(): Promise<readonly { readonly path: string; readonly bytes: number; readonly month: string }[]>;
}

const beginSchema = z.strictObject({
  before: described(
    z.string().min(1).max(40),
    `Trades that ended before it leave: a moment such as 2025-01-01, or an age such as 365d; at least ${YOUNGEST_DAYS} days ago`,
  ),
});

const runSchema = z.object({
  before: z.number().int(),
  isRunning: z.boolean(),
  trades: described(z.number().int(), 'Trades that have left so far'),
  rows: described(z.number().int(), 'Rows that have left so far, those of the trades among them'),
  months: described(z.array(z.string()), 'Whose files were written, such as 2025-03'),
  fault: described(z.string().nullable(), 'Why it ended early; nothing is lost, and the next one goes on'),
});

export const archiveSchema = z.object({
  folder: described(z.string(), 'On the machine of this instance'),
  database: described(z.enum(DATABASES), 'Where the journal is that the trades leave'),
  archivedBefore: described(
    z.number().int().nullable(),
    'What ended earlier may be in these files; null where nothing was archived',
  ),
  files: described(
    z.array(z.object({ file: z.string(), bytes: z.number().int(), month: z.string() })),
    'Oldest first, one for each month in which a trade or a signal came',
  ),
  lastRun: described(runSchema.nullable(), 'Of this process; null before its first one'),
});

/** Served by a command on a data folder too: then the run is over before the command is. */
export const mountArchive = (app: App, archive: ArchiveDeps, gate: InternalGate): void =>
  mountEndpoints(app, archiveEndpoints(archive), internalGates(gate));

const archiveEndpoints = (archive: ArchiveDeps): readonly Endpoint[] => [
  {
    method: 'get',
    path: '/admin/archive',
    summary: 'The archive files of old trades, and how far a run has come',
    tags: TAGS,
    responses: { ...ok('What there is', archiveSchema), 400: refused('INVALID_QUERY'), 500: refused('ARCHIVE_FAILED') },
    async handler(c) {
      readQuery(c, NO_QUERY);
      return answer(c, await view(archive));
    },
  },
  {
    method: 'post',
    path: '/admin/archive',
    summary: 'Begin to move old trades out of the journal into archive files',
    description:
      'Answers at once; GET /admin/archive tells how far it is. What still counts stays: open positions and everything that they rest on.',
    tags: TAGS,
    body: beginSchema,
    bodyExample: { before: '365d' },
    responses: {
      ...ok('It has begun', archiveSchema),
      400: BAD_BODY,
      409: refused('ARCHIVE_RUNNING'),
      500: refused('ARCHIVE_FAILED'),
    },
    async handler(c) {
      const { before } = await readValid(c, beginSchema, shaped);
      const beforeMs = readBefore(before, archive.nowMs());
      if (archive.lastRun()?.isRunning) throw new Refusal('ARCHIVE_RUNNING');
      archive.begin(beforeMs);
      return answer(c, await view(archive));
    },
  },
];

const AGE = /^(\d{1,5})d$/;

function readBefore(text: string, nowMs: number): number {
  const [, days] = AGE.exec(text.trim()) ?? [];
  const beforeMs = days === undefined ? parseMoment(text.trim()) : nowMs - Number(days) * DAY_MS;
  if (beforeMs === undefined || !Number.isSafeInteger(beforeMs) || beforeMs < 0)
    throw badBefore('is no moment and no age, send one such as 2025-01-01 or 365d');
  if (beforeMs > nowMs - YOUNGEST_DAYS * DAY_MS)
    throw badBefore(
      `is less than ${YOUNGEST_DAYS} days ago, send an earlier one: duplicates and limits are told by younger trades`,
    );
  return beforeMs;
}

function badBefore(fault: string): Refusal {
  const words = `before: ${fault}`;
  return new Refusal('INVALID_PAYLOAD', words, { extra: { faults: [words] } });
}

async function view(archive: ArchiveDeps): Promise<z.infer<typeof archiveSchema>> {
  try {
    const completeFromMs = await archive.completeFromMs();
    const files = await archive.files();
    const run = archive.lastRun();
    return {
      folder: archive.folder,
      database: archive.database,
      archivedBefore: completeFromMs === 0 ? null : completeFromMs,
      files: files.map(({ path: file, bytes, month }) => ({ file, bytes, month })),
      lastRun: run === undefined ? null : runView(run),
    };
  } catch (error) {
    throw new Refusal('ARCHIVE_FAILED', `the archive cannot be read: ${errorText(error)}`, { cause: error });
  }
}

const runView = ({ beforeMs, months, fault, ...run }: ArchiveRunState): z.infer<typeof runSchema> => ({
  ...run,
  before: beforeMs,
  months: [...months],
  fault: fault ?? null,
});
