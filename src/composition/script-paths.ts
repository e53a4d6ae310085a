// Which paths belong to the script process: the doors of the Analysis API and of the script worker, and the operator's over them.

import type { Config } from '../config.ts';

/** First words of paths, such as `run` for /run and everything below it. */
export const ANALYSIS_WORDS: readonly string[] = ['run', 'ws', 'auth', 'preview', 'backtest', 'optimize', 'lsp'];
export const SCRIPTS_WORDS: readonly string[] = ['api'];
const ADMIN_WORDS = ['deployments', 'script-keys', 'key-usage'];
/** Its archive of bars, for the owner. */
const BARS_WORD = 'bars';

const ABSOLUTE = /^https?:\/\/[^/?#]*/i;

export type OwnerOf = (target: string | undefined) => 'trading' | 'scripts' | 'script admin';

/** By the target of a request line, which is a path or, from some proxies, a whole address. */
export function createOwnerOf(services: Config['services']): OwnerOf {
  const words = new Set([
    ...(services.includes('analysis') ? ANALYSIS_WORDS : []),
    ...(services.includes('scripts') ? SCRIPTS_WORDS : []),
  ]);
  return (target = '') => {
    const [, first = '', second = ''] = target.replace(ABSOLUTE, '').split(/[?#]/, 1)[0]?.split('/') ?? [];
    if (words.has(first)) return 'scripts';
    if (first === BARS_WORD) return 'script admin';
    return first === 'admin' && ADMIN_WORDS.includes(second) ? 'script admin' : 'trading';
  };
}
