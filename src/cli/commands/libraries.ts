// `signalbox libraries`: publishes Pine libraries among a user's scripts, lists, shows and withdraws them.

import { type Args, type Command, type LocalIo, noWords, onlyWord, type RouteCalls, UsageFault } from '../command.ts';
import type { Answer, Method } from '../host.ts';
import type { Paint } from '../paint.ts';
import { nearest } from '../parse.ts';
import { scriptRefusalText, succeeded } from '../refusal-text.ts';
import { CommandFiles } from '../script-files.ts';
import { assertRunning, scriptKeyIn } from '../script-key.ts';
import { cell, column, type Fields, fieldsOf, printable, printableLines, rowsOf, table, timeColumn } from '../table.ts';

const PATH = '/api/libraries';
const PUBLISHED_AS = /^([^/\s]+)(?:\/([^/\s]+)(?:\/(\d{1,6}))?)?$/;
const IMPORT = /^([^/\s]+)\/([^/\s]+)\/(\d{1,6})$/;

/** One call of a route of the script worker. */
interface LibraryCall {
  readonly method: Method;
  readonly path: string;
  body?(io: LocalIo): Promise<object>;
  show(body: Fields, paint: Paint, status: number): string;
}

const VERBS: Readonly<Record<string, (args: Args) => LibraryCall>> = {
  list,
  publish,
  show: ({ words }) => ({
    method: 'GET',
    path: pathOf(words),
    show: ({ library }) => sourceText(String(fieldsOf(library).content ?? '')),
  }),
  withdraw: ({ words }) => ({
    method: 'DELETE',
    path: pathOf(words),
    show: (body) => `Withdrawn: ${cell(body.import)}. Its number is given to no other code.`,
  }),
};

export const libraries: Command = {
  name: 'libraries',
  summary: 'published Pine libraries of a script key: publish, list, show, withdraw',
  usage: [
    'list --key pn_…',
    'publish library.pine --key pn_… [--as TradingView/ta/7]',
    'publish --script <id> --key pn_… [--as me/Tools]',
    'show <publisher/Name/1> --key pn_…',
    'withdraw <publisher/Name/1> --key pn_…',
  ],
  flags: {
    key: 'the script key whose scripts import them (or SIGNALBOX_SCRIPT_KEY)',
    as: 'how imports name it: a publisher, with the name and the version if you like; me and the next version if left out',
    script: 'a script that is stored already, by its id, instead of a file',
  },
  plan(args) {
    const [verb = 'list', ...words] = args.words;
    const plan = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    if (plan !== undefined) return through(plan({ ...args, words }), scriptKeyIn(args));
    const near = nearest(verb, Object.keys(VERBS));
    throw new UsageFault(
      `libraries cannot "${verb}".${near === undefined ? '' : ` Did you mean "libraries ${near}"?`}`,
    );
  },
};

const through = (call: LibraryCall, key: string): RouteCalls => ({
  async callAll(connection, io, isJson) {
    assertRunning(connection, 'libraries');
    const answer = await connection.call(call.method, call.path, await call.body?.(io), key);
    tell(call, answer, io, isJson);
    if (!isJson) io.err(io.errPaint('dim', `(${printable(connection.where)})`));
    return succeeded(answer) ? 0 : 1;
  },
});

function tell(call: LibraryCall, answer: Answer, io: LocalIo, isJson: boolean): void {
  const body = fieldsOf(answer.body);
  if (isJson) io.out(JSON.stringify(answer.body ?? null, null, 2));
  else if (succeeded(answer)) io.out(call.show(body, io.paint, answer.status));
  else io.err(scriptRefusalText(answer, io.errPaint));
}

/** As it can be saved again, but for characters that a terminal would obey. */
const sourceText = (source: string): string =>
  source.replace(/\r\n?/g, '\n').split('\t').map(printableLines).join('\t');

function list({ words }: Args): LibraryCall {
  noWords(words);
  const columns = [
    column('import', 'import'),
    timeColumn('published', 'publishedAt'),
    column('script', 'scriptId'),
    column('imports', 'imports'),
    { title: 'digest', of: ({ digest }: Fields) => cell(String(digest).slice(0, 12)) },
  ];
  return {
    method: 'GET',
    path: PATH,
    show({ libraries: found }, paint) {
      const rows = rowsOf(found);
      return rows.length > 0 ? table(columns, rows, paint) : 'Nothing is published under this key.';
    },
  };
}

function pathOf(words: readonly string[]): string {
  const text = onlyWord(words, 'the library');
  const match = IMPORT.exec(text);
  if (match === null) throw new UsageFault(`"${text}" is no library; write it as in an import: publisher/Name/1.`);
  return `${PATH}/${match.slice(1).map(encodeURIComponent).join('/')}`;
}

function publish({ words, flags }: Args): LibraryCall {
  const as = asIn(flags.as);
  const { script } = flags;
  if (script !== undefined) noWords(words);
  const file = script === undefined ? onlyWord(words, 'the file with the library') : undefined;
  return {
    method: 'POST',
    path: PATH,
    async body(io) {
      const code = file === undefined ? { scriptId: script } : { content: await new CommandFiles(io).script(file) };
      return { ...code, ...as };
    },
    show({ library }, paint, status) {
      const name = cell(fieldsOf(library).import);
      const words = status === 201 ? 'Published' : 'Published before, and unchanged';
      return `${words}: ${paint('bold', name)}. Scripts of this key import it with: import ${name} as alias`;
    },
  };
}

/** What of a publication is said from outside. */
function asIn(text: string | undefined): { publisher?: string; name?: string; version?: number } {
  if (text === undefined) return {};
  const match = PUBLISHED_AS.exec(text);
  if (match === null)
    throw new UsageFault(`--as ${text} cannot be read; write it as in an import: TradingView/ta/7, or its beginning.`);
  const [, publisher = '', name, version] = match;
  return { publisher, ...(name && { name }), ...(version && { version: Number(version) }) };
}
