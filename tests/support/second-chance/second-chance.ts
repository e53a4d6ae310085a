// Which files of a run are tried once more, alone, and what the run says then.
//
// Tests of the whole system share two cores with each other, and now and then one misses a time that it has in plenty when it
// runs by itself. Such a file is told by name, so that it gets mended. Only tests of pages and of answers from outside are
// tried again: whatever takes a signal, trades, stores or guards has one chance.

import { closingLine, type RunReport } from '../closing-line-reporter.ts';

/** More than a few are no bad luck. */
const MAX_FILES = 8;

/** Pages in a browser, and what others answer: nothing that trades rests on them. The last one is the example of the test. */
const MAY_TRY_AGAIN = [
  /^tests\/(agent|analysis|browser|dashboard|notices|optimize|stream)\//,
  /^tests\/bench\.test\.ts$/,
  /^tests\/support\/second-chance\/fixture\//,
];

const failedIn = ({ files }: RunReport): readonly string[] =>
  Object.keys(files).filter((name) => (files[name]?.failed ?? 0) > 0);

/** Empty where none is tried again. */
export function secondChances(report: RunReport): readonly string[] {
  const failed = failedIn(report);
  const isRefused = report.others > 0 || failed.length > MAX_FILES;
  return isRefused || !failed.every((name) => MAY_TRY_AGAIN.some((rule) => rule.test(name))) ? [] : failed;
}

/** The last word on each file. */
export const together = (first: RunReport, again: RunReport): RunReport => ({
  files: { ...first.files, ...again.files },
  others: first.others + again.others,
});

/** Names the files that failed beside others, and closes with the plain line. */
export function closingWords(first: RunReport, again: RunReport): string {
  const mended = failedIn(first).filter((name) => again.files[name]?.failed === 0);
  const told = mended.map((name) => `failed beside others, passed alone: ${name}\n`);
  return `${told.join('')}${closingLine(together(first, again))}\n`;
}
