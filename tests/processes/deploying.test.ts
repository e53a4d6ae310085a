// The files that put Signalbox on a server: what they say of it is true of it. No container engine is needed for that.

import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig, settingsTable } from '../../src/config.ts';
import { closeAtEnd } from '../support/close-at-end.ts';
import { startGatewayProcess } from '../support/process.ts';

interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks: readonly string[];
  readonly profiles?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly stop_grace_period?: string;
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, unknown>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const compose = parse(read('compose.yaml')) as Compose;
const dockerfile = read('Dockerfile').replaceAll('\\\n', ' ');
const unit = read('packaging/signalbox.service');
const signalbox = compose.services.signalbox as Service;
const VERSION = (JSON.parse(read('package.json')) as { version: string }).version;
const SETTINGS = settingsTable().map(({ name }) => name);
const TOKENS = { INTERNAL_TOKEN: 'a'.repeat(64), ADMIN_TOKEN: 'b'.repeat(64) };

/** The values of a line of the Dockerfile, such as `ENV`. */
const lines = (word: string): string[] =>
  [...dockerfile.matchAll(new RegExp(`^\\s*${word}\\s+(.*)$`, 'gm'))].map(([, rest = '']) => rest);
const assigned = (pairs: readonly string[]): Record<string, string> =>
  Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));

const imageEnv = assigned(lines('ENV').flatMap((line) => line.split(/\s+/)));
const unitEnv = assigned([...unit.matchAll(/^Environment=(.*)$/gm)].map(([, pair = '']) => pair));
/** As compose fills them in. */
const filledIn = (environment: Service['environment'] = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replace(/\$\{SIGNALBOX_DOMAIN:[^}]*\}/, 'signals.example.com'),
    ]),
  );
const composeEnv = filledIn(signalbox.environment);
const DATABASE_URL = 'postgres://signalbox:password@postgres:5432/signalbox';
/** Takes away what the file before has. */
const RESET = { tag: '!reset', collection: 'seq' as const, identify: () => false };
const subnetIn = (network: unknown): string | undefined => /"subnet":"([^"]+)"/.exec(JSON.stringify(network))?.[1];
const configOf = (env: Record<string, string>) => loadConfig(env, { checkAddressEntry: () => undefined });
/** How long our own stop may take: serve.ts, closeAll and the last exit. */
const stopSeconds = (): number => (3 * configOf({}).drainTimeoutMs + 5000 + 1000) / 1000;

describe('compose.yaml', () => {
  it('names services, networks and volumes that are there', () => {
    expect(Object.keys(compose.services)).toEqual(['signalbox', 'proxy', 'redis']);
    for (const service of Object.values(compose.services)) {
      expect(Object.keys(compose.networks)).toEqual(expect.arrayContaining([...service.networks]));
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('./')) expect(existsSync(join(ROOT, source)), source).toBe(true);
        else expect(Object.keys(compose.volumes)).toContain(source);
      }
    }
  });

  it('gives Signalbox settings that it knows and takes, of this version, and no port of the machine', () => {
    expect(signalbox.image).toBe(`signalbox:${VERSION}`);
    expect(SETTINGS).toEqual(expect.arrayContaining(Object.keys({ ...imageEnv, ...composeEnv })));
    const config = configOf({ ...imageEnv, ...composeEnv, ...TOKENS });
    expect(config).toMatchObject({ host: '0.0.0.0', port: 8787, dataDir: '/data', environment: 'production' });
    expect(config.warnings).toEqual([]);
    expect(signalbox.ports).toBe(undefined);
    expect(compose.services.redis).toMatchObject({ networks: ['back'], profiles: ['redis'] });
    expect(compose.services.redis?.ports).toBe(undefined);
  });

  it('without the tokens Signalbox does not start there', () => {
    expect(() => configOf({ ...imageEnv, ...composeEnv })).toThrow('INTERNAL_TOKEN and ADMIN_TOKEN');
  });

  it('believes the proxy: the range it trusts is that of their network', () => {
    expect(JSON.stringify(compose.networks.front)).toContain(`"subnet":"${composeEnv.TRUSTED_PROXIES}"`);
    expect(compose.services.proxy?.networks).toEqual(['front']);
  });

  it('takes away what Signalbox does not need, and leaves it time to stop', () => {
    expect(signalbox).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    expect(Number.parseInt(signalbox.stop_grace_period ?? '0', 10)).toBeGreaterThan(stopSeconds());
  });
});

describe('compose.cluster.yaml', () => {
  const cluster = parse(read('compose.cluster.yaml'), { merge: true, customTags: [RESET] }) as Compose;

  it('gives both Signalboxes and the worker settings that they know and take, of this version', () => {
    for (const name of ['signalbox', 'standby'] as const) {
      const service = cluster.services[name] as Service;
      const env = { ...imageEnv, ...filledIn(service.environment), ...TOKENS, DATABASE_URL };
      expect(SETTINGS).toEqual(expect.arrayContaining(Object.keys(env)));
      const config = configOf(env);
      expect(config).toMatchObject({
        processUrl: `http://${name}:8787`,
        rateLimits: 'redis',
        databaseUrl: DATABASE_URL,
      });
      expect(config.warnings).toEqual([]);
    }
    const worker = cluster.services.worker as Service;
    expect(configOf({ ...imageEnv, ...worker.environment }).analysis.longJobs).toBe('redis');
    for (const name of ['standby', 'worker']) expect(cluster.services[name]?.image).toBe(`signalbox:${VERSION}`);
  });

  it('takes from the second one what the first one is without, and gives it a folder of its own', () => {
    const { environment: _, volumes, ...standby } = cluster.services.standby as Service;
    const { environment: __, volumes: ___, ...first } = signalbox;
    const { build: ____, ...same } = first as Service & { build?: string };
    expect(standby).toMatchObject(same);
    expect(volumes).toEqual(['standby:/data']);
  });

  it('believes the proxy alone: the range is that of the network between it and Signalbox', () => {
    for (const name of ['signalbox', 'standby'])
      expect(cluster.services[name]?.environment?.TRUSTED_PROXIES).toBe(subnetIn(compose.networks.front));
  });

  it('lets the internet reach neither the database nor Redis', () => {
    for (const name of ['postgres', 'redis', 'worker', 'standby'])
      expect(cluster.services[name]?.ports).toBe(undefined);
    expect(cluster.services.postgres?.networks).toEqual(['back']);
    expect(read('packaging/Caddyfile.cluster')).toContain('reverse_proxy signalbox:8787 standby:8787');
    expect(read('packaging/Caddyfile.cluster')).toContain('@signals path /webhook /webhook/tradingview /health\n');
  });
});

describe('packaging/Caddyfile', () => {
  it('passes on signals and the health check, and nothing else', () => {
    const text = read('packaging/Caddyfile');
    expect(text.match(/@signals path (.*)/)?.[1]?.split(' ')).toEqual(['/webhook', '/webhook/tradingview', '/health']);
    expect(text.match(/reverse_proxy (\S+)/g)).toEqual([`reverse_proxy signalbox:${imageEnv.PORT}`]);
    expect(text).toContain('respond 404');
  });
});

describe('Dockerfile', () => {
  it('is of an official Node of the version that is needed, for any processor, and runs as nobody special', () => {
    expect(lines('FROM')).toEqual(['node:24-slim AS build', 'node:24-slim']);
    expect(lines('USER')).toEqual(['node']);
    expect(dockerfile).not.toMatch(/amd64|x86|x64|arm64|aarch64|--platform|curl|wget/);
    expect(lines('VOLUME')).toEqual([imageEnv.DATA_DIR]);
  });

  it('copies nothing that .dockerignore keeps out, and that lets in all that the build reads', () => {
    const [first, ...rest] = read('.dockerignore').trim().split('\n');
    expect(first).toBe('**');
    const allowed = rest.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    for (const path of allowed) expect(existsSync(join(ROOT, path)), path).toBe(true);
    expect(allowed).toEqual(
      expect.arrayContaining(['bin', 'build', 'dashboard', 'src', '.npmrc', 'package-lock.json', 'tsconfig.json']),
    );
    // Nothing of the owner's: neither data nor secrets.
    for (const path of ['data/signalbox.db', '.env', 'signalbox.env', 'node_modules/x/index.js', 'tests/a.test.ts'])
      expect(
        allowed.some((entry) => path === entry || matchesGlob(path, `${entry}/**`)),
        path,
      ).toBe(false);
  });

  it('has a health check that tells a living Signalbox from a dead one', { timeout: 120_000 }, async () => {
    const [, check = ''] = /HEALTHCHECK.*?CMD (\[.*\])/.exec(dockerfile) ?? [];
    const [program, ...args] = JSON.parse(check) as string[];
    expect(program).toBe('node');
    const codeOf = (PORT: string): Promise<number> =>
      promisify(execFile)(process.execPath, args, { env: { PORT } }).then(
        () => 0,
        ({ code }: { code: number }) => code,
      );
    const running = await startGatewayProcess({ env: { LOG_LEVEL: 'error' } });
    closeAtEnd(() => running.kill());
    const { port } = new URL(running.url);
    expect(await codeOf(port)).toBe(0);
    await running.stop();
    expect(await codeOf(port)).toBe(1);
  });

  it('starts a file that the packed product has', () => {
    const [entry = '[]'] = lines('ENTRYPOINT');
    const words = JSON.parse(entry) as string[];
    expect(words.at(-1)).toBe('/app/bin/signalbox.mjs');
    const { start } = (JSON.parse(read('package.json')) as { scripts: { start: string } }).scripts;
    expect(start).toContain(words.slice(0, -1).join(' '));
  });
});

describe('packaging/signalbox.service', () => {
  it('has settings that Signalbox knows and takes, and keeps all it writes in its own folder', () => {
    expect(SETTINGS).toEqual(expect.arrayContaining(Object.keys(unitEnv)));
    expect(configOf(unitEnv)).toMatchObject({ environment: 'production', dataDir: '/var/lib/signalbox' });
    const [, folder] = /^StateDirectory=(.*)$/m.exec(unit) ?? [];
    for (const path of [unitEnv.DATA_DIR, unitEnv.API_KEY_STORE]) expect(path).toMatch(`/var/lib/${folder}`);
  });

  it('starts again whatever happens, and leaves time to stop', () => {
    expect(unit).toMatch(/^Restart=always$/m);
    expect(unit).toMatch(/^KillMode=mixed$/m);
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(stopSeconds());
    // V8 writes machine code and runs it.
    expect(unit).not.toContain('MemoryDenyWriteExecute');
  });

  it('has no word that systemd does not know, where there is one to ask', async () => {
    const [program] = globSync('{/usr,}/bin/systemd-analyze');
    if (program === undefined) return;
    const file = join(mkdtempSync(join(tmpdir(), 'signalbox-unit-')), 'signalbox.service');
    writeFileSync(file, unit.replace('/usr/local/bin/signalbox', process.execPath));
    const { stderr } = await promisify(execFile)(program, ['verify', '--man=no', file]);
    expect(stderr.split('\n').filter((line) => line.includes('signalbox'))).toEqual([]);
  });
});
