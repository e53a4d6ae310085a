// Makes a kept run again: from the same files and words, with the engine of today.

import { keepRun, type UnnamedRun } from '../library/runs/keep-run.ts';
import type { Args, LocalIo } from './command.ts';
import type { CommandScripts } from './host.ts';
import type { FolderRun } from './run-folder.ts';
import { fileFault } from './script-files.ts';
import { requestOf } from './script-run.ts';
import { wantedIn } from './wanted-run.ts';

/** Bars of a market are asked for up to the last one that the run had, so that they are the same ones. */
export async function makeAgain(run: FolderRun, args: Args, scripts: CommandScripts, io: LocalIo): Promise<UnnamedRun> {
  const { words, flags, lists } = run.command;
  const wanted = wantedIn({ ...args, words, flags, lists, switches: new Set() }, `run ${run.id} cannot be made again.`);
  const bars = 'symbol' in wanted.bars ? { ...wanted.bars, upToMs: run.market.toMs } : wanted.bars;
  const { request, priceSource } = await requestOf({ ...wanted, bars }, io);
  const outcome = await scripts.run(request);
  if (outcome.kind !== 'result' || outcome.report === null) {
    const reason =
      'reason' in outcome ? outcome.reason : 'message' in outcome ? outcome.message : 'it does not run any more';
    throw fileFault(wanted.file, `run ${run.id} cannot be made again: ${reason}`);
  }
  const { report, repaint } = outcome;
  const about = { name: wanted.file, revision: null, engine: io.version, atMs: io.nowMs(), note: '' };
  return keepRun({ request, priceSource, report, repaint, ...about });
}
