// What a thread of the pool does: one job at a time, compiled scripts kept for the next.

import { getHeapStatistics } from 'node:v8';
import type { MessagePort } from 'node:worker_threads';
import type { HandleRequest } from '../../library/request-runner.ts';
import { barColumns } from '../../pine/light.ts';
import { buffersIn } from './buffers-in.ts';
import { engineOf } from './engine-calls.ts';
import { type Job, type Note, type Outcome, READY, type Report, type ThreadDuty } from './messages.ts';
import { createJobRunner, outcomeOf } from './run-job.ts';
import { heldBytes } from './thread-memory.ts';

const WARM_UP = `//@version=6
indicator("warm-up")
length = input.int(5, "Length")
mean(float source) =>
    float total = 0
    for i = 0 to length - 1
        total += source[i]
    total / length
var seen = array.new<float>()
seen.push(close)
if ta.crossover(close, ta.sma(close, length))
    label.new(bar_index, high, str.tostring(close))
[line, signal, histogram] = ta.macd(close, 12, 26, 9)
plot(mean(close), "mean", close > open ? color.green : color.red)
plot(histogram)
`;

/** Answers what comes through the port, until the thread is ended; requests only where somebody knows what to do with them. */
export async function serve(port: MessagePort, duty: ThreadDuty, handle?: HandleRequest): Promise<void> {
  const answer = createJobRunner(duty, duty === 'service' ? await import('../../chart/index.ts') : undefined);
  // The first script of a thread would be several times slower: the compiler runs once before anybody waits for it.
  if (duty === 'service') answer({ kind: 'run', source: WARM_UP, bars: barColumns([]) });
  const engine = engineOf(answer);
  const tell = (progress: Note['progress']): void => port.postMessage({ progress } satisfies Note);

  async function outcomeFor(job: Job): Promise<Outcome> {
    if (job.kind !== 'request') return answer(job);
    if (handle === undefined) throw new Error('this thread answers no requests');
    return handle(job.request, engine, tell);
  }

  port.on('message', async (job: Job) => {
    const outcome = await outcomeFor(job).catch(outcomeOf);
    const report: Report = { outcome, heldBytes: heldBytes(getHeapStatistics()) };
    port.postMessage(report, buffersIn(outcome));
  });
  port.postMessage(READY);
}
