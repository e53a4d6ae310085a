// Rounds of chaos one after the other, in every queue mode by turns, and the table of all of them.

import { runRound } from '../../tests/support/chaos/chaos-round.ts';
import { chaosTable, roundLine } from '../../tests/support/chaos/chaos-table.ts';
import { openPostgresForm } from '../../tests/support/chaos/postgres-form.ts';
import { openSqliteForm } from '../../tests/support/chaos/sqlite-form.ts';

const FORMS = { sqlite: openSqliteForm, postgres: openPostgresForm } as const;

const MODES = ['async', 'failover', 'direct'] as const;
/** A folder stays small, and a round that fails is quickly made again. */
const SIGNALS_PER_ROUND = 5000;
const REQUESTS_PER_FAULT = 400;
const LIVE_PERMILLE = 20;

export type FormName = keyof typeof FORMS;

/** One process over SQLite, where the words do not begin with `postgres`. */
export const readForm = (words: readonly string[]): { readonly form: FormName; readonly words: readonly string[] } =>
  words[0] === 'postgres' ? { form: 'postgres', words: words.slice(1) } : { form: 'sqlite', words };

export interface Rounds {
  readonly form: FormName;
  /** Of the first round; each has one more than the last. */
  readonly seed: number;
  readonly isDone: (sent: number) => boolean;
  /** No more signals than this. */
  readonly most?: number;
  readonly say: (line: string) => void;
}

/** True when nothing was found; the first round with a finding is the last. */
export async function runRounds({
  form,
  seed,
  isDone,
  most = Number.POSITIVE_INFINITY,
  say,
}: Rounds): Promise<boolean> {
  const reports = [];
  for (let round = 0, sent = 0; !isDone(sent); round++) {
    const signals = Math.min(SIGNALS_PER_ROUND, most - sent);
    const mode = MODES[(seed + round) % MODES.length] as (typeof MODES)[number];
    const chaos = { requestsPerFault: REQUESTS_PER_FAULT, livePermille: LIVE_PERMILLE, openForm: FORMS[form] };
    const report = await runRound({ seed: seed + round, mode, signals, ...chaos });
    reports.push(report);
    sent += signals;
    say(roundLine(report));
    if (report.findings.length === 0) continue;
    for (const line of report.story) say(`  ${line}`);
    for (const { kind, words } of report.findings) say(`FAULT ${kind}: ${words}`);
    say(
      `To make this round again: npm run chaos -- ${form === 'sqlite' ? '' : `${form} `}${signals} seed ${report.seed} (how faults meet is up to the machine)`,
    );
    break;
  }
  for (const line of chaosTable(reports)) say(line);
  return reports.every(({ findings }) => findings.length === 0);
}
