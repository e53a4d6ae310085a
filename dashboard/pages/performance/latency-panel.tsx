// How long trades took, step by step: a histogram of each exchange.

import { useState } from 'preact/hooks';
import type { Latency, Result } from '../../server/answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import { pathWith } from '../../server/use-feed-list.ts';
import { Choice } from '../../ui/choice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { lasting } from '../../ui/times.ts';
import type { Chosen } from './chosen.ts';
import './latency-panel.css';

type Step = Latency['steps'][number];

const STEPS: readonly (readonly [Step['step'], string])[] = [
  ['received_to_filled', 'signal to fill'],
  ['received_to_sent', 'signal to order'],
  ['sent_to_answered', 'order to answer'],
  ['answered_to_filled', 'answer to fill'],
];

const EVERY_MS = 30_000;

export function LatencyPanel({ chosen: { mode, exchange, account, from, to } }: { readonly chosen: Chosen }) {
  const [step, setStep] = useState<Step['step']>('received_to_filled');
  const path = pathWith('/performance/latency', { mode, exchange, account, from, to });
  const { answer } = useAnswer<Result<Latency>>(path, EVERY_MS);
  if (answer === undefined || answer.result.steps.length === 0) return null;
  const { boundsMs, steps } = answer.result;
  const shown = steps.filter((each) => each.step === step && each.mode === mode);
  return (
    <Panel
      title="How long trades took"
      aside={<Choice label="From where to where" options={STEPS} chosen={step} onChoose={setStep} />}
    >
      {shown.length === 0 && <p class="empty">No trade has come so far in this time.</p>}
      <div class="histograms">
        {shown.map((each) => (
          <Histogram key={each.exchange} step={each} boundsMs={boundsMs} />
        ))}
      </div>
    </Panel>
  );
}

function Histogram({ step, boundsMs }: { readonly step: Step; readonly boundsMs: readonly number[] }) {
  const { exchange, count, counts, p50Ms, p95Ms, p99Ms, maxMs } = step;
  const most = Math.max(...counts);
  return (
    <figure class="histogram">
      <figcaption>
        <strong>{exchange}</strong>{' '}
        <span class="quiet">
          {count} {count === 1 ? 'trade' : 'trades'}: half within {lasting(p50Ms)}, 95 % within {lasting(p95Ms)}, 99 %
          within {lasting(p99Ms)}, the slowest {lasting(maxMs)}
        </span>
      </figcaption>
      <ol aria-label={`Trades at ${exchange} by how long they took`}>
        {counts.map((value, index) => (
          <li key={index}>
            <span class="count" aria-hidden="true">
              {value > 0 && value}
            </span>
            <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
              <rect y={1 - value / most} width="1" height={value / most} />
            </svg>
            <span class="bound" aria-hidden="true">
              {boundWords(boundsMs[index])}
            </span>
            <span class="sr-only">
              {value} {longWords(boundsMs, index)}
            </span>
          </li>
        ))}
      </ol>
    </figure>
  );
}

/** Short: fourteen of them stand beside each other on a phone. */
const boundWords = (ms: number | undefined): string => {
  if (ms === undefined) return '>';
  return ms < 1000 ? `${ms}${ms === 1 ? 'ms' : ''}` : `${ms / 1000}s`;
};

const longWords = (boundsMs: readonly number[], index: number): string => {
  const bound = boundsMs[index];
  return bound === undefined ? `took longer than ${lasting(boundsMs.at(-1) ?? 0)}` : `took up to ${lasting(bound)}`;
};
