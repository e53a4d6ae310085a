// Keys of the analysis and of the script library, and what each has used of what it may. They are made and ended on the command line.

import type { Result } from '../../server/answers.ts';
import type { KeyUsage } from '../../server/setup-answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { Chip } from '../../ui/chip.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { day } from '../../ui/times.ts';
import { When } from '../../ui/when.tsx';
import { type AnalysisUsage, callsWords, runsWords, type ScriptUsage, shareUsed } from './key-usage.ts';

/** Nobody watches this: it is looked at. */
const EVERY_MS = 30_000;

export function UsagePanel() {
  const { answer, refused } = useAnswer<Result<KeyUsage>>('/admin/key-usage', EVERY_MS);
  const { analysis, scripts } = answer?.result ?? {};
  return (
    <Panel title="Analysis and script keys" aside="what they have used">
      <RefusedWords words={refused?.message} />
      {analysis === null && <p class="empty">No analysis is served here (SERVICES).</p>}
      {analysis?.length === 0 && (
        <p class="empty">
          Nobody has a key of the analysis. <code>npx signalbox keys create --analysis</code> makes one.
        </p>
      )}
      {analysis && analysis.length > 0 && (
        <Table label="Analysis keys" columns={ANALYSIS} rows={analysis} keyOf={({ keyId }) => keyId} />
      )}
      {scripts === null && <p class="empty">No script keys are kept here (SERVICES, API_KEYS).</p>}
      {scripts?.length === 0 && (
        <p class="empty">
          Nobody has a key of the script library. <code>npx signalbox keys create --scripts</code> makes one.
        </p>
      )}
      {scripts && scripts.length > 0 && (
        <Table label="Script keys" columns={SCRIPTS} rows={scripts} keyOf={({ userId }) => userId} />
      )}
    </Panel>
  );
}

const lastUsed = ({ lastUsedAt }: { readonly lastUsedAt: number | null }) =>
  lastUsedAt === null ? 'never' : <When atMs={lastUsedAt} nowMs={Date.now()} />;

const ANALYSIS: readonly Column<AnalysisUsage>[] = [
  {
    title: 'Analysis key',
    cell: ({ keyId }) => <code>{keyId}</code>,
  },
  { title: 'Tier', cell: ({ tier }) => tier },
  {
    title: 'Calls',
    isNumber: true,
    cell: (key) => (
      <>
        {shareUsed(key) === 1 && <Chip tone="down">used up</Chip>} {callsWords(key)}
      </>
    ),
  },
  {
    title: 'Used',
    isExtra: true,
    cell: (key) => {
      const share = shareUsed(key);
      return share === undefined ? '–' : <progress aria-label={`Used of ${key.keyId}`} value={share} max={1} />;
    },
  },
  { title: 'Last used', cell: lastUsed },
  {
    title: 'Counts again from',
    isExtra: true,
    cell: ({ resetAt }) => (resetAt === null ? 'never' : day(resetAt)),
  },
];

const SCRIPTS: readonly Column<ScriptUsage>[] = [
  { title: 'Script key', cell: ({ keyStart }) => <code>{keyStart}…</code> },
  { title: 'Tier', cell: ({ tier }) => tier },
  { title: 'Runs', isNumber: true, cell: runsWords },
  { title: 'Library', isExtra: true, cell: ({ userId }) => <code title={userId}>{userId.slice(0, 8)}…</code> },
  { title: 'Last used', cell: lastUsed },
  { title: 'Ends', isExtra: true, cell: ({ expiresAt }) => day(expiresAt) },
];
