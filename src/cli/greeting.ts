// What a start ends with on the terminal: where things are, a key if there was none, and a line to try.

export interface Greeting {
  readonly version: string;
  readonly url: string;
  readonly dataDir: string;
  /** Where prices come from. */
  readonly prices: string;
  /** Those that can be traded, main first at each exchange. */
  readonly accounts: readonly GreetedAccount[];
  /** Why others cannot, each with the remedy. */
  readonly off: readonly string[];
  /** The services besides the gateway. */
  readonly services: readonly string[];
  /** Undefined where this process does not trade. */
  readonly webhookKeys: WebhookKeysSeen | undefined;
  readonly mailAddress: string | undefined;
  /** What does not work as it should, with the remedy. */
  readonly warnings?: readonly string[];
}

export interface GreetedAccount {
  readonly exchange: string;
  readonly account: string;
  readonly mode: 'paper' | 'testnet' | 'live';
  /** The first characters of its API key and where that comes from; absent on paper. */
  readonly key?: string;
  /** Whether its owner still has to confirm that it may open positions. */
  readonly isUnconfirmed?: boolean;
}

export interface WebhookKeysSeen {
  /** The key made by the first start; it is shown this once. */
  readonly newKey: string | undefined;
  readonly inUse: number;
}

const EXAMPLE = { action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };

export function greetingText(greeting: Greeting): string {
  const { version, url, dataDir, services, webhookKeys, mailAddress, warnings = [] } = greeting;
  const lines = [
    '',
    `  Signalbox ${version} is listening on ${url}`,
    ...(services.includes('dashboard') ? [`  Dashboard:    ${url}/`] : []),
    `  API docs:     ${url}/docs`,
    ...(webhookKeys === undefined ? [] : tradingLines(greeting)),
    ...(services.includes('analysis') ? [`  Analysis API: POST ${url}/run runs a Pine script on bars`] : []),
    ...(services.includes('scripts') ? [`  Scripts:      ${url}/api/scripts, live bars on /api/stream`] : []),
    `  Data folder:  ${dataDir}`,
    ...(mailAddress === undefined
      ? []
      : [`  Mail intake:  smtp://${mailAddress} for signals+LABEL@… (the label of a key)`]),
    ...warnings.map((words) => `  Warning:      ${words}`),
    '',
    ...(webhookKeys === undefined ? [] : webhookLines(greeting, webhookKeys)),
  ];
  return `${lines.join('\n')}\n`;
}

/** Real money first: whoever sees only one line must see that one. */
function tradingLines({ accounts, off, prices }: Greeting): readonly string[] {
  const inMode = (wanted: GreetedAccount['mode']) => accounts.filter(({ mode }) => mode === wanted);
  const withKeys = (wanted: GreetedAccount['mode']) => inMode(wanted).map((each) => `${nameOf(each)} (${each.key})`);
  const paper = [...new Set(inMode('paper').map(({ exchange }) => exchange))];
  const of = prices === 'simulated' ? prices : `those of ${prices}`;
  const told = [
    ...lineOf('LIVE MONEY on', withKeys('live')),
    ...lineOf('testnet money on', withKeys('testnet')),
    ...lineOf('paper money on', paper).map((line) => `${line}; prices are ${of}`),
    ...(accounts.length === 0 ? ['nothing: no account can be traded'] : []),
    ...off.map((why) => `off: ${why}`),
  ];
  return told.map((line, index) => `  ${(index === 0 ? 'Trading:' : '').padEnd(13)} ${line}`);
}

const lineOf = (money: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`${money} ${LIST.format(names)}`];

/** `a`, `a and b`, `a, b and c`. */
const LIST = new Intl.ListFormat('en-GB', { type: 'conjunction' });

const nameOf = ({ exchange, account }: GreetedAccount): string => `${exchange}:${account}`;

const MODES = ['paper', 'testnet', 'live'] as const;

function webhookLines({ url, accounts }: Greeting, { newKey, inUse }: WebhookKeysSeen): readonly string[] {
  // What anybody may copy without a thought costs as little as can be.
  const example = MODES.flatMap((mode) => accounts.filter((account) => account.mode === mode))[0];
  const unconfirmed = accounts.filter(({ isUnconfirmed }) => isUnconfirmed);
  const hasReal = accounts.length === 0 || accounts.some(({ mode }) => mode !== 'paper');
  return [
    newKey === undefined
      ? `  Webhook keys: ${inUse} in use; make another with "npx signalbox keys create NAME"`
      : `  Webhook key (shown only now, keep it):  ${newKey}`,
    '  Try it:',
    ...(hasReal ? ['  npx signalbox doctor --live    (asks every exchange, and trades nothing)'] : []),
    ...unconfirmed.map(
      (account) =>
        `  npx signalbox accounts confirm ${nameOf(account)}    (once: until then nothing is opened with its money)`,
    ),
    ...(example === undefined ? [] : exampleLines(url, example, newKey)),
    '',
  ];
}

function exampleLines(url: string, example: GreetedAccount, newKey: string | undefined): readonly string[] {
  const { exchange, account, mode } = example;
  const named = account === 'main' ? {} : { account };
  const body = JSON.stringify({ apiKey: newKey ?? 'YOUR_WEBHOOK_KEY', exchange, ...named, ...EXAMPLE });
  return [
    ...(mode === 'live' ? [`  The next line BUYS WITH REAL MONEY on ${nameOf(example)}:`] : []),
    ...(mode === 'testnet' ? [`  The next line buys with the play money of the testnet on ${nameOf(example)}:`] : []),
    `  curl -s ${url}/webhook -H 'Content-Type: application/json' -d '${body}'`,
  ];
}
