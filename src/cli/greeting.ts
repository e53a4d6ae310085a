// What a start ends with on the terminal: where things are, a key if there was none, and a line to try.

export interface Greeting {
  readonly version: string;
  readonly url: string;
  readonly dataDir: string;
  /** Where prices come from. */
  readonly prices: string;
  /** The services besides the gateway. */
  readonly services: readonly string[];
  /** Undefined where this process does not trade. */
  readonly webhookKeys: WebhookKeysSeen | undefined;
  readonly mailAddress: string | undefined;
  /** What does not work as it should, with the remedy. */
  readonly warnings?: readonly string[];
}

export interface WebhookKeysSeen {
  /** The key made by the first start; it is shown this once. */
  readonly newKey: string | undefined;
  readonly inUse: number;
}

const EXAMPLE = { exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };

export function greetingText(greeting: Greeting): string {
  const { version, url, dataDir, services, webhookKeys, mailAddress, warnings = [] } = greeting;
  const lines = [
    '',
    `  Signalbox ${version} is listening on ${url}`,
    `  API docs:     ${url}/docs`,
    ...(webhookKeys === undefined ? [] : [tradingLine(greeting.prices)]),
    ...(services.includes('analysis') ? [`  Analysis API: POST ${url}/run runs a Pine script on bars`] : []),
    ...(services.includes('scripts') ? [`  Scripts:      ${url}/api/scripts, live bars on /api/stream`] : []),
    `  Data folder:  ${dataDir}`,
    ...(mailAddress === undefined
      ? []
      : [`  Mail intake:  smtp://${mailAddress} for signals+LABEL@… (the label of a key)`]),
    ...warnings.map((words) => `  Warning:      ${words}`),
    '',
    ...(webhookKeys === undefined ? [] : webhookLines(url, webhookKeys)),
  ];
  return `${lines.join('\n')}\n`;
}

const tradingLine = (prices: string): string =>
  `  Trading:      paper money on binance, bybit and mexc; prices are ${prices === 'simulated' ? prices : `those of ${prices}`}`;

function webhookLines(url: string, { newKey, inUse }: WebhookKeysSeen): readonly string[] {
  const body = JSON.stringify({ apiKey: newKey ?? 'YOUR_WEBHOOK_KEY', ...EXAMPLE });
  return [
    newKey === undefined
      ? `  Webhook keys: ${inUse} in use; make another with "npx signalbox keys create NAME"`
      : `  Webhook key (shown only now, keep it):  ${newKey}`,
    '  Try it:',
    `  curl -s ${url}/webhook -H 'Content-Type: application/json' -d '${body}'`,
    '',
  ];
}
