// The user's own key of the script worker: pasted once and kept in this browser. Scripts and deployments belong to it; no session opens them.

import { useLayoutEffect, useState } from 'preact/hooks';

const STORED_AS = 'signalbox.scriptKey';
const CHANGED = 'signalbox:script-key';

/** What a key looks like; the server says whether it is one. */
const KEY = /^pn_[0-9a-f]{48}$/;

export const scriptKey = (): string | undefined => localStorage.getItem(STORED_AS) ?? undefined;

export function keepScriptKey(key: string | undefined): void {
  if (key === undefined) localStorage.removeItem(STORED_AS);
  else localStorage.setItem(STORED_AS, key);
  dispatchEvent(new Event(CHANGED));
}

/** Why a text cannot be a key, in words; undefined where it can be one. */
export function keyFault(text: string): string | undefined {
  if (KEY.test(text)) return undefined;
  if (text.startsWith('whk_'))
    return 'This is a webhook key: it trades, and opens no scripts. A script key begins with pn_.';
  if (text.startsWith('pyn_')) return 'This is a key of the analysis API. A script key begins with pn_.';
  return 'A script key is pn_ and 48 letters and digits. Copy the whole of it.';
}

/** Also when another tab has changed it. */
export function useScriptKey(): string | undefined {
  const [key, setKey] = useState(scriptKey);
  useLayoutEffect(() => {
    const follow = (): void => setKey(scriptKey());
    addEventListener(CHANGED, follow);
    addEventListener('storage', follow);
    return () => {
      removeEventListener(CHANGED, follow);
      removeEventListener('storage', follow);
    };
  }, []);
  return key;
}
