// A thread for tests of the queue: every request begins when it has the thread and ends when the test says so.

import { BroadcastChannel, parentPort } from 'node:worker_threads';
import { type Job, READY, type Report } from '../../src/adapters/scripts/messages.ts';
import type { RequestKind } from '../../src/library/request-runner.ts';
import { runAnswer } from '../../src/library/testing/run-answer.ts';
import { HELD_RUNS, type HeldRun } from './held-runs.ts';

const port = parentPort!;
const channel = new BroadcastChannel(HELD_RUNS);
let current = '';
let kind: RequestKind = 'run';

/** The smallest whole answer of each kind of request that the tests hold. */
const ANSWERS: Partial<Readonly<Record<RequestKind, object>>> = {
  run: runAnswer(),
  'lsp-hover': { status: 'success', hover: null },
  'preview-chart': { status: 'success', chart: '', meta: {} },
};

channel.onmessage = (event) => {
  const { data } = event as { data: HeldRun };
  if (data.end !== current || current === '') return;
  current = '';
  const json = new TextEncoder().encode(JSON.stringify(ANSWERS[kind]));
  port.postMessage({ outcome: { kind: 'answered', json }, heldBytes: 0 } satisfies Report);
};

port.on('message', (job: Job) => {
  if (job.kind !== 'request') throw new Error('requests only');
  kind = job.request.kind;
  const { script, source, expression } = JSON.parse(Buffer.concat(job.request.body).toString());
  current = script ?? source ?? expression;
  channel.postMessage({ begin: current } satisfies HeldRun);
});
port.postMessage(READY);
