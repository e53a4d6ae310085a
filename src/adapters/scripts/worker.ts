// What a thread of the pool does: one order at a time, compiled scripts kept for the next.

import { setPriority } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { MessagePort } from 'node:worker_threads';
import { barColumns } from '../../pine/index.ts';
import { buffersIn } from './buffers-in.ts';
import { createClerk } from './clerk.ts';
import { heldBytes } from './held-bytes.ts';
import { type Order, READY, type Report, type ThreadDuty } from './messages.ts';

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

/** Trades go first: when both want the processor, a script gets what they leave; nearly all of it, on any day but the worst. */
const NICENESS = 15;

/** Answers what comes through the port, until the thread is ended. */
export async function serve(port: MessagePort, duty: ThreadDuty): Promise<void> {
  // Only Linux has a priority for each thread; elsewhere this would slow the whole process down.
  if (duty === 'service' && process.platform === 'linux') setPriority(0, NICENESS);
  const answer = createClerk(duty, duty === 'service' ? await import('../../library/chart/index.ts') : undefined);
  // The first script of a thread would be several times slower: the compiler runs once before anybody waits for it.
  if (duty === 'service') answer({ kind: 'run', source: WARM_UP, bars: barColumns([]) });
  port.on('message', (order: Order) => {
    const outcome = answer(order);
    const report: Report = { outcome, heldBytes: heldBytes(getHeapStatistics()) };
    port.postMessage(report, buffersIn(outcome));
  });
  port.postMessage(READY);
}
