// Asks for a yes before something is done that is hard to take back.

import type { CliHost } from './host.ts';

/** The question goes where no pipe reads it; without anybody who answers it nothing is done. */
export async function isConfirmed(question: string, io: Pick<CliHost, 'err' | 'readLines'>): Promise<boolean> {
  io.err(`${question} Type yes:`);
  const [answer = ''] = await io.readLines(1);
  const isYes = /^y(es)?$/i.test(answer.trim());
  if (!isYes) io.err('Nothing was done. Say --yes to be asked nothing.');
  return isYes;
}
