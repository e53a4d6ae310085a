// `signalbox keys … --analysis` and `--scripts`: keys of the analysis API and of the script worker, in their stores themselves.

import { isRawAnalysisKey } from '../../keys/analysis-keys.ts';
import type { ScriptKeys } from '../../keys/script-keys.ts';
import { callLimitOf, DEFAULT_TIER, TIERS, type Tier } from '../../keys/tiers.ts';
import { usageBlock } from '../../keys/usage.ts';
import {
  type Args,
  type LocalCall,
  type LocalIo,
  noWords,
  oneOf,
  onlyWord,
  STORED_ONLY,
  STORED_ONLY_WORDS,
  UsageFault,
} from '../command.ts';
import type { KeyStoreOptions, OpenedAnalysisKeys, OpenedScriptKeys } from '../host.ts';
import { column, printable, table, timeColumn } from '../table.ts';

const KINDS = ['analysis', 'scripts'] as const;
export type StoredKind = (typeof KINDS)[number];
/** How a whole key begins. */
const PREFIXES: Readonly<Record<StoredKind, string>> = { analysis: 'pyn_', scripts: 'pn_' };

const KEY_ID = /^[0-9a-f]{12}$/;
const MS_PER_S = 1000;
/** More than anybody reads; whoever has more asks the store itself. */
const MAX_LISTED = 10_000;
/** Tells one key from another for a person, and nobody can guess the rest. */
const SHOWN_CHARS = 9;
/** Only for webhook keys, or for instances that run elsewhere. */
const OTHERS_FLAGS = ['label', 'exchanges', 'symbols', 'grace-seconds', 'url', 'token'];

/** Which store a command line means; undefined for webhook keys. A whole key is known by its beginning. */
export function storedKindOf({ words, switches }: Args): StoredKind | undefined {
  const [verb, word = ''] = words;
  const [kind, other] = KINDS.filter((each) => switches.has(each));
  if (other !== undefined) throw new UsageFault('Give --analysis or --scripts, not both.');
  const named =
    verb === 'revoke' || verb === 'renew' ? KINDS.find((each) => word.startsWith(PREFIXES[each])) : undefined;
  if (kind !== undefined && named !== undefined && kind !== named)
    throw new UsageFault(`That key is one for --${named}; leave --${kind} out.`);
  return kind ?? named;
}

export function planInStore(kind: StoredKind, args: Args): LocalCall {
  const [verb = 'list', ...words] = args.words;
  for (const flag of OTHERS_FLAGS)
    if (args.flags[flag] !== undefined) throw new UsageFault(`--${flag} does not go with --${kind}.`);
  const { user, tier } = args.flags;
  const isRenewal = verb === 'renew' && kind === 'scripts';
  if (user !== undefined && !isRenewal) throw new UsageFault('--user belongs to "keys renew --scripts".');
  if (tier !== undefined && verb !== 'create' && !(isRenewal && user !== undefined))
    throw new UsageFault('--tier belongs to "keys create", and to "keys renew --scripts --user".');
  const command = {
    words,
    tier: tierOf(args),
    user,
    wanted: tier,
    store: storeOf(args),
    json: args.switches.has('json'),
  };
  const plans = kind === 'analysis' ? ANALYSIS : SCRIPTS;
  const plan = Object.hasOwn(plans, verb) ? plans[verb] : undefined;
  if (plan === undefined) throw new UsageFault(`keys cannot "${verb}" with --${kind}.`);
  return plan(command);
}

interface StoreCommand {
  readonly words: readonly string[];
  readonly tier: Tier;
  /** The tier as it was named, if it was. */
  readonly wanted: string | undefined;
  /** Whose library gets a new key. */
  readonly user: string | undefined;
  readonly store: KeyStoreOptions;
  readonly json: boolean;
}
type Plans = Readonly<Record<string, (command: StoreCommand) => LocalCall>>;

const tierOf = ({ flags }: Args): Tier => oneOf(flags.tier ?? DEFAULT_TIER, TIERS, 'Tier') as Tier;
const storeOf = ({ flags }: Args): KeyStoreOptions =>
  flags['data-dir'] === undefined ? {} : { dataDir: flags['data-dir'] };

/** What a command found or did: for a person, and for a program in the names of the API. */
interface Told {
  readonly text: string;
  readonly body: object;
  readonly ok?: boolean;
  /** Nothing was changed, only looked at. */
  readonly isReport?: boolean;
}

const ANALYSIS: Plans = {
  list: (command) => {
    noWords(command.words);
    return onAnalysisKeys(command, listAnalysis);
  },
  create: (command) => {
    noWords(command.words);
    return onAnalysisKeys(command, ({ keys }) => createAnalysis(keys, command.tier));
  },
  revoke: (command) => {
    const word = onlyWord(command.words, 'the key id');
    if (!KEY_ID.test(word) && !isRawAnalysisKey(word))
      throw new UsageFault(
        'Give the key id (12 characters of 0-9 and a-f, see "keys list --analysis") or the whole key.',
      );
    return onAnalysisKeys(command, ({ keys }) => revokeAnalysis(keys, word));
  },
  rotate: () => {
    throw new UsageFault('Analysis keys are not rotated; create a new one with --analysis, then revoke the old one.');
  },
};

const SCRIPTS: Plans = {
  list: () => {
    throw new UsageFault('Script keys cannot be listed: their store finds a key only by the whole of it.');
  },
  create: (command) => {
    noWords(command.words);
    return onScriptKeys(command, ({ keys }) => createScript(keys, command.tier));
  },
  revoke: (command) => {
    const word = onlyWord(command.words, 'the key');
    if (!word.startsWith(PREFIXES.scripts))
      throw new UsageFault('Give the whole key: pn_ and 48 characters of 0-9 and a-f.');
    return onScriptKeys(command, ({ keys }) => revokeScript(keys, word));
  },
  renew: (command) => {
    const { words, user, wanted, tier } = command;
    const renew = (of: Parameters<ScriptKeys['renew']>[0]) =>
      onScriptKeys(command, ({ keys }) => renewScript(keys, of));
    if (user !== undefined) {
      noWords(words);
      return renew(wanted === undefined ? { userId: user } : { userId: user, tier });
    }
    const key = onlyWord(words, 'the key');
    if (!key.startsWith(PREFIXES.scripts))
      throw new UsageFault('Give the whole key (pn_…), or the user id of the library with --user.');
    return renew({ key });
  },
  rotate: () => {
    throw new UsageFault('Script keys are renewed: "keys renew pn_…" gives the library and its deployments a new key.');
  },
};

async function listAnalysis({ keys, period }: OpenedAnalysisKeys, { paint }: LocalIo): Promise<Told> {
  const found = await keys.list(MAX_LISTED + 1);
  const shown = found.slice(0, MAX_LISTED).map((key) => ({ key, usage: usageBlock(key, period) }));
  const body = { keys: shown.map(({ key, usage }) => ({ key_id: key.keyId, tier: key.tier, ...usage })) };
  if (shown.length === 0)
    return { text: 'There are no analysis keys. Make one: signalbox keys create --analysis', body, isReport: true };
  const columns = [
    column('key id', 'keyId'),
    column('tier', 'tier'),
    column('calls used', 'calls', { right: true }),
    timeColumn('created', 'createdAtMs'),
    timeColumn('last used', 'lastUsedMs'),
  ];
  const rows = shown.map(({ key, usage }) => ({
    keyId: key.keyId,
    tier: key.tier,
    calls: `${usage.calls_used} of ${callLimitOf(key.tier) ?? 'unlimited'}`,
    createdAtMs: key.createdAtS * MS_PER_S,
    lastUsedMs: key.lastUsedS === null ? null : key.lastUsedS * MS_PER_S,
  }));
  const more = found.length > MAX_LISTED ? `\nThere are more; these are the oldest ${MAX_LISTED}.` : '';
  return { text: table(columns, rows, paint) + more, body, isReport: true };
}

async function createAnalysis(keys: OpenedAnalysisKeys['keys'], tier: Tier): Promise<Told> {
  const { key, apiKey } = await keys.mint(tier);
  return {
    text: shownOnce(`Created analysis key ${key.keyId} (${tier}).`, apiKey),
    body: { api_key: apiKey, key_id: key.keyId, tier },
  };
}

async function revokeAnalysis(keys: OpenedAnalysisKeys['keys'], word: string): Promise<Told> {
  const key = await keys.revoke(word);
  if (key === undefined) return notFound('There is no such analysis key; see "signalbox keys list --analysis".');
  return {
    text: `Revoked analysis key ${key.keyId} (${key.tier}). Calls with it are refused from now on.`,
    body: { key_id: key.keyId, tier: key.tier },
  };
}

async function createScript(keys: OpenedScriptKeys['keys'], tier: Tier): Promise<Told> {
  const { key, userId, createdAt } = await keys.create(tier);
  const lost = `Note the user id of its library, ${userId}: with it you can give the library a new key when this one is lost.`;
  return {
    text: `${shownOnce(`Created script key ${beginningOf(key)} (${tier}).`, key)} It lives for one year.\n${lost}`,
    body: { api_key: key, tier, user_id: userId, created_at: createdAt },
  };
}

async function revokeScript(keys: OpenedScriptKeys['keys'], word: string): Promise<Told> {
  const known = await keys.lookup(word);
  // Also what lookup does not trust any more: a record that is damaged must be possible to remove.
  await keys.revoke(word);
  if (known === undefined) return notFound('There is no such script key, or it has expired.');
  return {
    text: `Revoked script key ${beginningOf(word)} (${known.tier}). Calls with it are refused from now on.`,
    body: { tier: known.tier },
  };
}

async function renewScript(keys: OpenedScriptKeys['keys'], of: Parameters<ScriptKeys['renew']>[0]): Promise<Told> {
  const renewed = await keys.renew(of);
  if (renewed === 'bad-user-id')
    throw new UsageFault(
      'A user id is 32 characters of 0-9 and a-f; "signalbox deployments show <id>" shows whose a deployment is.',
    );
  if (renewed === 'unknown-key')
    return notFound(
      'There is no such script key, or it has expired. Name the library instead: signalbox keys renew --scripts --user <userId>',
    );
  if (renewed === 'unknown-user')
    return notFound(
      'There is no library with this user id. "signalbox deployments show <id>" shows whose a deployment is; ' +
        'the others were told when their key was made.',
    );
  const { key, tier, userId, createdAt } = renewed;
  const done = `Script key ${beginningOf(key)} (${tier}) opens the library ${userId} from now on, and no other key does.`;
  return {
    text: `${shownOnce(done, key)} It lives for one year. Deployments that were paused for the old key are resumed by their owner or with "signalbox deployments resume".`,
    body: { api_key: key, tier, user_id: userId, created_at: createdAt },
  };
}

const beginningOf = (key: string): string => `${key.slice(0, SHOWN_CHARS)}…`;
const shownOnce = (what: string, apiKey: string): string =>
  `${what}\n\n  ${apiKey}\n\nIt is shown only now. Send it as "Authorization: Bearer <key>".`;
const notFound = (text: string): Told => ({ text, body: { code: 'INVALID_KEY', message: text }, ok: false });

function onAnalysisKeys(
  { store, json }: StoreCommand,
  work: (opened: OpenedAnalysisKeys, io: LocalIo) => Promise<Told>,
): LocalCall {
  return {
    async run(io) {
      const opened = await io.openAnalysisKeys(store);
      try {
        return tell(await work(opened, io), opened, json, io);
      } finally {
        await opened.close();
      }
    },
  };
}

function onScriptKeys({ store, json }: StoreCommand, work: (opened: OpenedScriptKeys) => Promise<Told>): LocalCall {
  return {
    async run(io) {
      const opened = await io.openScriptKeys(store);
      if (opened === undefined)
        throw new Error(
          'The script keys are in no store that a command can reach (API_KEYS is memory or none); set API_KEYS to sqlite ' +
            'or redis, or ask the running server: POST /api/keys?action=create',
        );
      try {
        return tell(await work(opened), opened, json, io);
      } finally {
        await opened.close();
      }
    },
  };
}

type Store = Pick<OpenedScriptKeys, 'where' | 'running'>;

function tell({ text, body, ok = true, isReport = false }: Told, store: Store, json: boolean, io: LocalIo): number {
  const { where, running } = store;
  const note = running || isReport || !ok ? undefined : STORED_ONLY;
  if (json) io.out(JSON.stringify({ status: ok ? 'success' : 'error', ...body, ...note }, null, 2));
  else {
    (ok ? io.out : io.err)(text);
    if (note) io.out(STORED_ONLY_WORDS);
    io.err(io.paint('dim', `(${printable(where)})`));
  }
  return ok ? 0 : 1;
}
