// The shell variables of the curl lines on /docs: what only the reader has, what it is for, and a line that sets it.

export interface SampleVariable {
  readonly label: string;
  readonly description: string;
  /** What the command does, where it does more than to leave room for a value. */
  readonly effect?: string;
  /** For a POSIX shell; {base} is the address of this server. */
  readonly command: string;
  /** Whoever has it may do something: the page hides what is typed for it. */
  readonly isCredential: boolean;
}

const JSON_BODY = "-H 'Content-Type: application/json'";
const INTERNAL = '-H "X-Internal-Auth-Key: $INTERNAL_TOKEN"';
const ADMIN = '-H "X-Admin-Token: $ADMIN_TOKEN"';
const ANALYSIS = '-H "Authorization: Bearer $ANALYSIS_KEY"';
const SCRIPT = '-H "Authorization: Bearer $SCRIPT_KEY"';

/** Takes one field out of a JSON answer, with what every shell has; an answer without it is shown instead of kept. */
const taking = (name: string, field: string, call: string): string =>
  `${name}=$(curl -sS ${call} | sed -n -e 's/.*"${field}":"\\([^"]*\\)".*/\\1/p' -e t -e 'w /dev/stderr')`;

const newKey = (name: string, field: string): string =>
  taking(
    name,
    field,
    `-X POST '{base}/admin/webhook-keys' ${INTERNAL} ${JSON_BODY} -d "{\\"label\\":\\"docs-$(date +%s)-$$\\"}"`,
  );

/** A script that trades, made or saved once more. */
const SAVED_STRATEGY = `-X PUT '{base}/api/scripts/docs-strategy' ${SCRIPT} ${JSON_BODY} -d '{"name":"Ups","content":"//@version=6\\nstrategy(\\"Ups\\")\\nif close > open\\n    strategy.entry(\\"L\\", strategy.long)\\nelse\\n    strategy.close(\\"L\\")"}'`;

const SMALL_BATCH = {
  scripts: [{ script: '//@version=6\nstrategy("Example")' }],
  markets: [{ data: [{ time: 1_700_000_000_000, open: 100, high: 102, low: 99, close: 101 }] }],
};
const SMALL_SEARCH = {
  script:
    '//@version=6\nstrategy("Example")\nn = input.int(1)\nif bar_index == n\n    strategy.entry("Long", strategy.long)',
  vary: { n: [0, 1] },
  data: [
    { time: 1_700_000_000_000, open: 100, high: 102, low: 99, close: 101 },
    { time: 1_700_000_060_000, open: 101, high: 103, low: 100, close: 102 },
  ],
};

/** In the order in which one needs another. */
export const SAMPLE_VARIABLES = {
  INTERNAL_TOKEN: {
    label: 'internal token',
    description:
      'The INTERNAL_TOKEN of the server. Where it has none, leave this empty and call from the same machine.',
    command: "INTERNAL_TOKEN=''",
    isCredential: true,
  },
  ADMIN_TOKEN: {
    label: 'admin token',
    description:
      'The ADMIN_TOKEN of the server. Where it has none, "signalbox keys create --analysis" or "--scripts" makes keys on the machine itself.',
    command: "ADMIN_TOKEN=''",
    isCredential: true,
  },
  WEBHOOK_KEY: {
    label: 'webhook key',
    description: 'A webhook key (whk_…); the first is printed at the first start.',
    effect: 'makes another one',
    command: newKey('WEBHOOK_KEY', 'apiKey'),
    isCredential: true,
  },
  REQUEST_ID: {
    label: 'request id',
    description: 'Of a signal that was accepted: the requestId of its answer.',
    effect: 'takes that of the newest trade',
    command: taking('REQUEST_ID', 'result":\\[{"requestId', `'{base}/trades?limit=1' ${INTERNAL}`),
    isCredential: false,
  },
  KEY_ID: {
    label: 'key id',
    description: 'Of a webhook key, as GET /admin/webhook-keys lists it.',
    effect: 'makes a key to try things on',
    command: newKey('KEY_ID', 'keyId'),
    isCredential: false,
  },
  OWNER_PASSWORD: {
    label: 'password',
    description: 'The password of the dashboard.',
    command: "OWNER_PASSWORD=''",
    isCredential: true,
  },
  SESSION_ID: {
    label: 'session id',
    description: 'Of a session of the dashboard, as GET /sessions lists it.',
    effect: 'logs in once more',
    command: taking(
      'SESSION_ID',
      'sessionId',
      `-X POST '{base}/session' ${JSON_BODY} -d "{\\"password\\":\\"$OWNER_PASSWORD\\"}"`,
    ),
    isCredential: false,
  },
  WALLET_TOKEN: {
    label: 'wallet token',
    description: 'The WALLET_TOKEN of the server; every write of the wallet needs it.',
    command: "WALLET_TOKEN=''",
    isCredential: true,
  },
  ANALYSIS_KEY: {
    label: 'analysis key',
    description: 'A key of the analysis API (pyn_…).',
    effect: 'makes one',
    command: taking('ANALYSIS_KEY', 'api_key', `-X POST '{base}/auth/create_key' ${ADMIN}`),
    isCredential: true,
  },
  SEARCH_ID: {
    label: 'search id',
    description: 'Of a search of this analysis key: the id that POST /optimize answered.',
    effect: 'begins a small one',
    command: taking(
      'SEARCH_ID',
      'id',
      `-X POST '{base}/optimize' ${ANALYSIS} ${JSON_BODY} -d '${JSON.stringify(SMALL_SEARCH)}'`,
    ),
    isCredential: false,
  },
  BATCH_ID: {
    label: 'batch id',
    description: 'Of a batch of this analysis key: the id that POST /backtest/batch answered.',
    effect: 'begins a small one',
    command: taking(
      'BATCH_ID',
      'id',
      `-X POST '{base}/backtest/batch' ${ANALYSIS} ${JSON_BODY} -d '${JSON.stringify(SMALL_BATCH)}'`,
    ),
    isCredential: false,
  },
  SCRIPT_KEY: {
    label: 'script key',
    description: 'A key of the script worker (pn_…).',
    effect: 'makes one',
    command: taking('SCRIPT_KEY', 'api_key', `-X POST '{base}/api/keys' ${ADMIN}`),
    isCredential: true,
  },
  DEPLOYMENT_ID: {
    label: 'deployment id',
    description: 'Of a live deployment, as GET /api/deployments lists it.',
    effect: 'deploys the script that the line of POST /api/scripts makes',
    command: taking(
      'DEPLOYMENT_ID',
      'deployment":{"id',
      `-X POST '{base}/api/deployments' ${SCRIPT} ${JSON_BODY} -d '{"scriptId":"docs-example","symbol":"BTCUSDT","interval":"1h","targets":[{"type":"signals"}]}'`,
    ),
    isCredential: false,
  },
  STRATEGY_ID: {
    label: 'strategy id',
    description: 'Of a script in the library that declares itself with strategy(...).',
    effect: 'saves one',
    command: taking('STRATEGY_ID', 'script":{"id', SAVED_STRATEGY),
    isCredential: false,
  },
  RUN_ID: {
    label: 'run id',
    description: 'Of a kept run, as GET /api/runs lists it.',
    effect: 'saves a strategy and runs it',
    command: taking(
      'RUN_ID',
      'run":{"id',
      `-o /dev/null ${SAVED_STRATEGY}; curl -sS -X POST '{base}/api/runs' ${SCRIPT} ${JSON_BODY} -d '{"scriptId":"docs-strategy","symbol":"BTCUSDT","interval":"1h","from":"2026-01-01","to":"2026-01-08"}'`,
    ),
    isCredential: false,
  },
  OAUTH_CLIENT_ID: {
    label: 'client id',
    description: 'Of your application at the code host; used where the operator of the server has set none.',
    command: "OAUTH_CLIENT_ID=''",
    isCredential: false,
  },
  DEVICE_CODE: {
    label: 'device code',
    description: 'The device_code that POST /api/git/oauth/device/start answered.',
    command: "DEVICE_CODE=''",
    isCredential: false,
  },
} as const satisfies Readonly<Record<string, SampleVariable>>;

export type SampleVariableName = keyof typeof SAMPLE_VARIABLES;
