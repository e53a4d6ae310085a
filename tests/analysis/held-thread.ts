// A thread for tests of the queue: every request begins when it has the thread and ends when the test says so.

import { BroadcastChannel, parentPort } from 'node:worker_threads';
import { type Order, READY, type Report } from '../../src/adapters/scripts/messages.ts';
import { HELD_RUNS, type HeldRun } from './held-runs.ts';

const port = parentPort!;
const channel = new BroadcastChannel(HELD_RUNS);
let current = '';

channel.onmessage = (event) => {
  const { data } = event as { data: HeldRun };
  if (data.end !== current || current === '') return;
  current = '';
  const json = new TextEncoder().encode(JSON.stringify({ status: 'success', ended: data.end }));
  port.postMessage({ outcome: { kind: 'answered', json }, heldBytes: 0 } satisfies Report);
};

port.on('message', (order: Order) => {
  if (order.kind !== 'request') throw new Error('requests only');
  const { script, source, expression } = JSON.parse(Buffer.concat(order.request.body).toString());
  current = script ?? source ?? expression;
  channel.postMessage({ begin: current } satisfies HeldRun);
});
port.postMessage(READY);
