// Shows a doctor's report: each check with its remedy, then every setting and where it came from.

import type { DoctorCheck, DoctorReport } from './host.ts';
import { type Paint, paintStatus } from './paint.ts';
import { cell, column, printable, table } from './table.ts';

export function showReport(report: DoctorReport, paint: Paint): string {
  const settings = table(
    [column('setting', 'name'), column('value', 'value'), column('source', 'source')],
    report.settings.map(({ name, value, source }) => ({ name, value, source })),
    paint,
  );
  return [...report.checks.map((check) => showCheck(check, paint)), '', settings, '', verdict(report, paint)].join(
    '\n',
  );
}

export const hasFailed = (report: DoctorReport): boolean => report.checks.some(({ ok }) => ok === 'fail');

function showCheck({ name, ok, detail, remedy }: DoctorCheck, paint: Paint): string {
  const line = `${paintStatus(paint, ok.padEnd(4))}  ${cell(name)}: ${printable(detail)}`;
  return remedy === undefined ? line : `${line}\n      ${paint('bold', 'Remedy:')} ${printable(remedy)}`;
}

function verdict({ checks }: DoctorReport, paint: Paint): string {
  const count = (kind: DoctorCheck['ok']) => checks.filter(({ ok }) => ok === kind).length;
  if (count('fail') > 0) return paint('red', `${count('fail')} of ${checks.length} checks failed.`);
  if (count('warn') > 0) return paint('yellow', `Everything works; ${count('warn')} of ${checks.length} checks warn.`);
  return paint('green', 'Everything is in order.');
}
