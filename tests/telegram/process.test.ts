// The real program with a Telegram bot: settings to chat and back, over a crash, with the token nowhere to be seen.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandHere } from '../cli/command-line.ts';
import { BOT_TOKEN, type BotApiServer, startBotApi } from '../support/bot-api-server.ts';
import type { Sent } from '../support/gateway.ts';
import { freshDataDir, type RunningProcess, startGatewayProcess } from '../support/process.ts';
import { eventually } from '../webhook/answers.ts';

const SECRET = BOT_TOKEN.split(':')[1] as string;
let botApi: BotApiServer;
let env: Record<string, string>;

beforeAll(async () => {
  botApi = await startBotApi();
  env = {
    TELEGRAM_BOT_TOKEN: BOT_TOKEN,
    TELEGRAM_API_ROOT: botApi.root,
    TELEGRAM_DEFAULT_CHAT: '42',
    TELEGRAM_ALLOWED_CHATS: '-100500, @news_of_mine',
  };
});
afterAll(() => botApi.close());

const texts = (): string[] => botApi.messages.map(({ text }) => text);
const send = async (process: RunningProcess, apiKey: string, fields: object = {}) => {
  const signal = { apiKey, exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: 0.01, ...fields };
  const response = await fetch(`${process.url}/webhook`, { method: 'POST', body: JSON.stringify(signal) });
  return (await response.json()) as Sent['body'];
};

describe('the program', () => {
  it('notifies, pushes, obeys, survives a crash with its outbox, and stops at once', async () => {
    const first = await startGatewayProcess({ env });
    const apiKey = first.apiKey as string;
    const told = await send(first, apiKey, { notify: { message: '*{{symbol}}* {{status}}', parseMode: 'MarkdownV2' } });
    expect(told.notificationResult.success).toBe(true);
    expect(texts()).toEqual(['BTCUSDT Filled']);

    botApi.say('/status');
    await eventually(texts, (all) => all.some((text) => text.includes('Trading: binance paper')));
    botApi.say('/kill on entries');
    await eventually(
      () => botApi.messages.at(-1)?.buttons.length,
      (count) => count === 2,
    );
    const { messageId, buttons } = botApi.messages.at(-1) ?? { messageId: 0, buttons: [] };
    botApi.press(buttons[0]?.callback_data as string, { messageId });
    await eventually(texts, (all) => all.some((text) => text.startsWith('Done. The kill switch is ON (entries)')));
    expect((await send(first, apiKey)).code).toBe('KILL_SWITCH_ACTIVE');
    const audit = (await (await fetch(`${first.url}/admin/audit`)).json()) as Sent['body'];
    expect(audit.result[0]).toMatchObject({ actor: 'telegram:42', setting: 'killSwitch' });

    botApi.outage = { fault: 'reset' };
    expect((await send(first, apiKey, { action: 'CLOSE_SHORT' })).code).toBe('ORDER_REJECTED');
    await first.kill();
    botApi.outage = undefined;

    const second = await startGatewayProcess({ env, dataDir: first.dataDir });
    await eventually(texts, (all) => all.some((text) => text.startsWith('CLOSE_SHORT 0.01 BTCUSDT')));
    await eventually(texts, (all) => all.some((text) => text.includes('it was not stopped properly')));
    const stoppedMs = performance.now();
    expect(await second.stop()).toBe(0);
    expect(performance.now() - stoppedMs).toBeLessThan(3000);

    expect(first.output() + second.output()).not.toContain(SECRET);
    for (const file of readdirSync(first.dataDir, { recursive: true, withFileTypes: true })) {
      if (file.isFile()) expect(readFileSync(join(file.parentPath, file.name)).includes(SECRET)).toBe(false);
    }
    expect(new Set(botApi.messages.map(({ chatId }) => chatId))).toEqual(new Set(['42']));
  });

  it('shows the settings without the token', async () => {
    const { stdout } = await runCommandHere(['doctor'], { ...env, DATA_DIR: freshDataDir() });
    expect(stdout).toContain('TELEGRAM_BOT_TOKEN');
    expect(stdout).toContain('-100500');
    expect(stdout).not.toContain(SECRET);
  });

  it('starts and trades while Telegram cannot be reached', async () => {
    const process = await startGatewayProcess({ env: { ...env, TELEGRAM_API_ROOT: 'http://127.0.0.1:9' } });
    const answer = await send(process, process.apiKey as string, { notify: { message: 'x' } });
    expect(answer).toMatchObject({ success: true, notificationResult: { success: false, messageId: null } });
    expect(await process.stop()).toBe(0);
    expect(process.output()).not.toContain(SECRET);
    expect(process.output()).toContain('ECONNREFUSED');
  });
});
