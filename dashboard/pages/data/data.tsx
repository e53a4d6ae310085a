// The data: every table of the journal, one guarded statement over it, and the answer as a table and a picture.

import { useState } from 'preact/hooks';
import type { Result } from '../../server/answers.ts';
import { ask, SLOW_WITHIN_MS } from '../../server/ask.ts';
import type { QueryAnswer, QueryTable } from '../../server/setup-answers.ts';
import { useAsked } from '../../server/use-asked.ts';
import { Button } from '../../ui/button.tsx';
import { plain } from '../../ui/numbers.ts';
import { Panel } from '../../ui/panel.tsx';
import { Question } from '../../ui/question.tsx';
import { RefusedWords } from '../../ui/refused.tsx';
import { lasting } from '../../ui/times.ts';
import { useAction } from '../../ui/use-action.ts';
import './data.css';
import { isWrite, liftValues } from './lift-values.ts';
import { QueryResult } from './query-result.tsx';
import { SavedPanel } from './saved-panel.tsx';
import { EXAMPLES } from './saved-queries.ts';
import { TablesPanel } from './tables-panel.tsx';
import { Unanswered } from '../../ui/unanswered.tsx';

interface Answered extends QueryAnswer {
  readonly ms: number;
}

export function Data() {
  const { answer: tables, refused: unanswered } = useAsked<Result<readonly QueryTable[]>>('/query/tables');
  const [sql, setSql] = useState(EXAMPLES[0]?.sql ?? '');
  const [isSure, setSure] = useState(true);
  const [answered, setAnswered] = useState<Answered>();
  const { isBusy, refused, run } = useAction(async () => setAnswered(await answerTo(sql)));
  const start = (): void => {
    if (isWrite(sql)) setSure(false);
    else void run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) start();
  };
  return (
    <div class="data">
      <div class="beside">
        {tables === undefined ? (
          <Unanswered title="Tables" refused={unanswered} />
        ) : (
          <TablesPanel tables={tables.result} onChoose={(name) => setSql(`SELECT *\nFROM ${name}\nLIMIT 100`)} />
        )}
        <SavedPanel sql={sql} onChoose={setSql} />
      </div>
      <div class="console">
        <Panel title="Statement" aside="up to 10,000 rows and 5 seconds; only trade_signals can be changed">
          <textarea
            aria-label="SQL statement"
            spellcheck={false}
            rows={8}
            maxLength={8192}
            value={sql}
            onInput={(event) => setSql(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
          <div class="run-line">
            <Button kind="filled" disabled={isBusy || sql.trim() === ''} onClick={start}>
              {isBusy ? 'Running…' : 'Run'}
            </Button>
            <span class="quiet">Ctrl + Enter</span>
            {answered !== undefined && refused === undefined && !isBusy && (
              <span role="status">
                {outcomeWords(answered)} in {lasting(answered.ms)}
              </span>
            )}
          </div>
          <RefusedWords words={refused} />
        </Panel>
        {answered !== undefined && refused === undefined && <QueryResult rows={answered.results} />}
      </div>
      {!isSure && (
        <Question title="Change the signals?" yes="Change them" isDanger onYes={run} onClose={() => setSure(true)}>
          <p>
            This statement writes. Only the list of signals can be changed, never trades or positions, and it cannot be taken
            back. While it runs, signals wait.
          </p>
        </Question>
      )}
    </div>
  );
}

const inRows = (count: number): string => `${plain(count)} ${count === 1 ? 'row' : 'rows'}`;
const outcomeWords = ({ changes, results }: Answered): string =>
  changes > 0 ? `${inRows(changes)} changed` : inRows(results.length);

async function answerTo(sql: string): Promise<Answered> {
  const { query, params, fault } = liftValues(sql);
  if (fault !== undefined) throw new Error(fault);
  const startedMs = performance.now();
  const answer = await ask<QueryAnswer>('/query', {
    ...{ method: 'POST', body: { query, params }, withinMs: SLOW_WITHIN_MS },
  });
  return { ...answer, ms: performance.now() - startedMs };
}
