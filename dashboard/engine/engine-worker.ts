// The worker that runs a script. It alone may make functions of text, by the policy that the server gives this file and no other.

import type { ToWorker } from './messages.ts';
import { handedOver, ScriptHost } from './script-host.ts';

const host = new ScriptHost();

self.onmessage = ({ data }: MessageEvent<ToWorker>): void => {
  const answers = host.answer(data);
  self.postMessage(answers, { transfer: handedOver(answers) });
};
