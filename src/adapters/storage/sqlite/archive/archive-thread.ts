// The thread that writes archive files: signals do not wait for their disk.

import { parentPort } from 'node:worker_threads';
import { errorText } from '../../../../errors/error-text.ts';
import type { ArchiveBatch } from '../../../../trading/books/journal-archive.ts';
import { ArchiveWriter } from './archive-file.ts';

export interface WriteAsked {
  readonly path: string;
  readonly batch: ArchiveBatch;
}

export type WriteAnswer = { readonly digest: string } | { readonly error: string };

if (!parentPort) throw new Error('archive-thread.ts runs as a worker thread only');
const port = parentPort;
const writer = new ArchiveWriter();

/** One after another: whoever asks waits for the answer. */
port.on('message', async ({ path, batch }: WriteAsked) => {
  const answer: WriteAnswer = await writer.write(path, batch).then(
    (digest) => ({ digest }),
    (error: unknown) => ({ error: errorText(error) }),
  );
  port.postMessage(answer);
});
