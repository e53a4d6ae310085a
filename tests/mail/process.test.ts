// The real program with mail: it starts, takes a mail, dies, starts again, and the same mail does not trade twice.

import { describe, expect, it } from 'vitest';
import { commandLineHere } from '../cli/command-line.ts';
import { timed } from '../support/lived-time.ts';
import { freshDataDir, type RunningProcess, runSignalbox, startGatewayProcess } from '../support/process.ts';
import { COMMAND, deliver, hold, mailPort } from './post-office.ts';

const MAIL = { SMTP_PORT: '0', SMTP_ALLOWED_SENDERS: 'me@example.com, @desk.example.com', SMTP_AUTH_POLICY: 'off' };
const from = 'me@example.com';
const to = 'signals+default@trade.example';

async function tradesOf(running: RunningProcess): Promise<{ source: string; keyLabel: string; status: string }[]> {
  const { result } = (await (await fetch(`${running.url}/trades?limit=100`)).json()) as { result: never[] };
  return result;
}

async function refusal(env: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runSignalbox(['start'], { DATA_DIR: freshDataDir(), ...MAIL, ...env });
  expect(code).not.toBe(0);
  return stdout + stderr;
}

describe('the program with SMTP_PORT', () => {
  it('trades a mail once, also when it is killed and the mail is delivered again; a second one cannot take its port, and without the setting no mail is taken', async () => {
    const mail = { from, to, messageId: '<only-once@example.com>', text: COMMAND };
    const first = await startGatewayProcess({ env: MAIL });
    const reply = await deliver(mailPort(first), mail);
    expect(reply).toMatchObject({ code: 250, text: expect.stringContaining('Filled') });
    await first.kill();

    const second = await startGatewayProcess({ dataDir: first.dataDir, env: MAIL });
    expect(await deliver(mailPort(second), mail)).toMatchObject({
      code: 250,
      text: expect.stringContaining('already taken'),
    });
    expect(await tradesOf(second)).toMatchObject([{ source: 'email', keyLabel: 'default', status: 'Filled' }]);
    expect(await second.stop()).toBe(0);

    const third = await startGatewayProcess({ dataDir: first.dataDir, env: MAIL });
    expect(await deliver(mailPort(third), mail)).toMatchObject({
      code: 250,
      text: expect.stringContaining('already taken'),
    });
    expect(await tradesOf(third)).toHaveLength(1);
    // A port that is taken is named.
    expect(await refusal({ SMTP_PORT: String(mailPort(third).port) })).toMatch(
      /Mail port \d+ on 127\.0\.0\.1 is in use/,
    );
    await third.stop();

    const without = await startGatewayProcess({ dataDir: first.dataDir });
    expect(without.output()).not.toContain('Mail intake');
    await without.stop();
  });

  it('trades every mail once when it is killed while many arrive and all are delivered until they are taken', async () => {
    const mails = Array.from({ length: 30 }, (_, i) => ({
      from,
      to,
      messageId: `<storm-${i}@example.com>`,
      text: COMMAND,
    }));
    const first = await startGatewayProcess({ env: MAIL });
    const port = mailPort(first);
    const tries = Promise.all(mails.map((mail) => deliver(port, mail)));
    await new Promise((resolve) => setTimeout(resolve, 150));
    await first.kill();
    await tries;
    const second = await startGatewayProcess({ dataDir: first.dataDir, env: MAIL });
    for (const mail of mails) expect(await deliver(mailPort(second), mail)).toMatchObject({ code: 250 });
    expect(await tradesOf(second)).toHaveLength(mails.length);
    await second.stop();
  });

  it('keeps why a mail was refused, under its label once its sender is proven, else under nobody; logs each with its reason, and no word or key of it', async () => {
    const running = await startGatewayProcess({ env: MAIL });
    const port = mailPort(running);
    const key = running.apiKey as string;
    await deliver(port, { from, to, text: `hello\napiKey: ${key}` });
    await deliver(port, { from: 'stranger@example.com', to, text: COMMAND });
    const { result } = (await (await fetch(`${running.url}/refusals?door=smtp`)).json()) as { result: object[] };
    expect(result).toMatchObject([
      { code: 'MAIL_REFUSED', key: null, address: '127.0.0.1', body: '' },
      { code: 'INVALID_PAYLOAD', key: 'default', status: 554, body: '{"apiKey":"***"}' },
    ]);
    expect(JSON.stringify(result)).not.toContain(key);

    const text = `LONG 0.01 BTCUSDT on binance PRIVATE\napiKey: ${key}`;
    await deliver(port, { from, to, subject: 'PRIVATE', text });
    await deliver(port, { from, to: 'root@example.com', text: COMMAND });
    await deliver(port, { from: 'anyone@desk.example.com', to, text: `${COMMAND}\napiKey: ${key}` });
    // A client that stays connected does not hold the stop up.
    const client = await hold(port.port);
    const { result: code, livedMs } = await timed(() => running.stop());
    expect(code).toBe(0);
    expect(livedMs).toBeLessThan(4000);
    await client.close();
    const lines = running
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ msg }) => msg.startsWith('mail '))).toMatchObject([
      { level: 'warn', code: 554, from, keyLabel: 'default' },
      {
        level: 'warn',
        code: 550,
        from: 'stranger@example.com',
        msg: 'mail refused: 5.7.1 this sender may not signal here',
      },
      { level: 'warn', code: 554, from, keyLabel: 'default', msg: expect.stringContaining('word 6 of the command') },
      { level: 'warn', code: 550, msg: expect.stringContaining('no such recipient') },
      {
        level: 'info',
        code: 250,
        from: 'anyone@desk.example.com',
        msg: expect.stringMatching(/^mail taken: 2\.0\.0 Filled/),
      },
    ]);
    const logged = JSON.stringify(lines);
    expect(logged).not.toContain('PRIVATE');
    expect(logged).not.toContain(key);
  });

  it('does not start without senders, nor on an open address without proof', async () => {
    const faults = await refusal({ SMTP_ALLOWED_SENDERS: '', SMTP_HOST: '0.0.0.0' });
    expect(faults).toContain('SMTP_ALLOWED_SENDERS: is empty');
    expect(faults).toContain('SMTP_AUTH_POLICY: off on 0.0.0.0');
  });

  it('is shown by the doctor', async () => {
    const words = await commandLineHere({ ...MAIL, SMTP_PORT: '2525' }).done('doctor');
    expect(words).toMatch(
      /warn {2}mail: taken on 127\.0\.0\.1:2525 from me@example\.com, @desk\.example\.com, and believed/,
    );
    expect(words).toContain('SMTP_AUTH_POLICY=require');
    expect(await commandLineHere({ ...MAIL, SMTP_AUTH_POLICY: 'require' }).done('doctor')).toMatch(
      /ok {4}mail: .*proven by SPF or DKIM/,
    );
  });
});
