// `signalbox format`: gives scripts their regular white space, in place, or says which ones lack it.

import { codeFrames } from '../code-frame.ts';
import { type LocalCommand, type LocalIo, UsageFault } from '../command.ts';
import { replaceFile } from '../replace-file.ts';
import { CommandFiles, fileName } from '../script-files.ts';

type State = 'as it was' | 'changed' | 'at fault';

export const format: LocalCommand = {
  name: 'format',
  summary: 'format .pine scripts in place',
  usage: ['script.pine…', 'script.pine… --check', 'script.pine --stdout', '- < script.pine'],
  flags: {},
  switches: {
    check: 'change nothing; list what would change and exit 1 if anything would',
    stdout: 'print the formatted script instead of writing the file',
  },
  async local({ words, switches }, io) {
    const isCheck = switches.has('check');
    // Standard input is no file that could be written.
    const isPrint = switches.has('stdout') || (!isCheck && words.includes('-'));
    if (words.length === 0) throw new UsageFault('The script is missing; write it like: signalbox format script.pine.');
    if (isCheck && isPrint) throw new UsageFault('Give --check or --stdout, not both.');
    if (isPrint && words.length > 1) throw new UsageFault('--stdout prints one script; name only one.');
    const files = new CommandFiles(io);
    const scripts: Script[] = [];
    // All of them first: a wrong path among many should not be found when half of the work is done.
    for (const path of words) scripts.push({ path, source: await files.script(path) });
    const mode = isCheck ? 'check' : isPrint ? 'print' : 'write';
    const states: State[] = [];
    for (const script of scripts) states.push(await formatOne(script, mode, io));
    const isWrong = states.includes('at fault') || (isCheck && states.includes('changed'));
    return isWrong ? 1 : 0;
  },
};

interface Script {
  readonly path: string;
  readonly source: string;
}

async function formatOne({ path, source }: Script, mode: 'check' | 'print' | 'write', io: LocalIo): Promise<State> {
  const { format: formatted, LineTable } = await import('../../pine/index.ts');
  const file = fileName(path);
  const { text, diagnostics } = formatted(source);
  if (diagnostics.some(({ severity }) => severity === 'error')) {
    const lines = new LineTable(source);
    const findings = diagnostics.map(({ span, ...found }) => {
      const { line: endLine, column: endColumn } = lines.positionAt(span.end);
      return { ...found, ...lines.positionAt(span.start), endLine, endColumn };
    });
    io.err(`${codeFrames(file, source, findings, io.errPaint)}\n\n${file}: left as it is until it can be read.`);
    return 'at fault';
  }
  if (mode === 'print') io.out(text.replace(/\n$/, ''));
  if (text === source) return 'as it was';
  if (mode === 'check') io.out(`${file}: would change`);
  if (mode === 'write') {
    replaceFile(path, text);
    io.out(`${file}: formatted`);
  }
  return 'changed';
}
