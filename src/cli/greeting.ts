// What a start ends with on the terminal: where things are, a key if there was none, and a line to try.

export interface Greeting {
  readonly version: string;
  readonly url: string;
  readonly dataDir: string;
  /** The key made by the first start; it is shown this once. */
  readonly newKey: string | undefined;
  readonly keysInUse: number;
  readonly mailAddress: string | undefined;
}

const EXAMPLE = { exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01 };

export function greetingText({ version, url, dataDir, newKey, keysInUse, mailAddress }: Greeting): string {
  const mail = `  Mail intake:  smtp://${mailAddress} for signals+LABEL@… (the label of a key)`;
  const body = JSON.stringify({ apiKey: newKey ?? 'YOUR_WEBHOOK_KEY', ...EXAMPLE });
  const lines = [
    '',
    `  Signalbox ${version} is listening on ${url}`,
    `  API docs:     ${url}/docs`,
    '  Trading:      paper money on binance, bybit and mexc; prices are simulated',
    `  Data folder:  ${dataDir}`,
    ...(mailAddress === undefined ? [] : [mail]),
    '',
    newKey === undefined
      ? `  Webhook keys: ${keysInUse} in use; make another with "npx signalbox keys create NAME"`
      : `  Webhook key (shown only now, keep it):  ${newKey}`,
    '  Try it:',
    `  curl -s ${url}/webhook -H 'Content-Type: application/json' -d '${body}'`,
    '',
  ];
  return `${lines.join('\n')}\n`;
}
