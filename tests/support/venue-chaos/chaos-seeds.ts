// Runs of chaos by their seeds, and what to say of one that has failed.

import { type ChaosReport, runChaos } from './chaos-run.ts';

export const STEPS = 80;

/** Empty where the run was without a fault; else everything that is needed to see it again. */
export async function chaosFault(seed: number, steps = STEPS): Promise<{ report: ChaosReport; words: string }> {
  const report = await runChaos(seed, steps);
  if (report.faults.length === 0) return { report, words: '' };
  const again = `Seed ${seed} failed. To run it again: npm run soak -- venues seed ${seed} (the machine decides how faults meet: try a few times)`;
  return { report, words: [again, ...report.faults, 'What was done:', ...report.story].join('\n') };
}
