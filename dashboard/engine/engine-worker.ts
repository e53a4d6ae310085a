// The worker that runs a script, once or in a search. It alone may make functions of text, by the policy that the server gives this
// file and no other.

import type { ToWorker } from './messages.ts';
import { handedOver, ScriptHost } from './script-host.ts';
import { SearchHost } from './search-host.ts';
import { isForSearch, type ToSearchWorker } from './search-messages.ts';

/** More often nobody reads it, and a script with alerts tells it at every bar. */
const TELL_EVERY_MS = 200;

let toldAtMs = 0;
const script = new ScriptHost((progress) => {
  if (performance.now() - toldAtMs < TELL_EVERY_MS) return;
  toldAtMs = performance.now();
  self.postMessage(progress);
});
const search = new SearchHost();

self.onmessage = ({ data }: MessageEvent<ToWorker | ToSearchWorker>): void => {
  if (isForSearch(data)) {
    self.postMessage(search.answer(data));
    return;
  }
  const answers = script.answer(data);
  self.postMessage(answers, { transfer: handedOver(answers) });
};
