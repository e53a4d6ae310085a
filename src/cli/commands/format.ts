// `signalbox format`: gives scripts their regular white space, in place, or says which ones lack it.

import { codeFrames } from '../code-frame.ts';
import { type LocalCommand, type LocalIo, UsageFault } from '../command.ts';
import { replaceFile } from '../replace-file.ts';
import { readScript } from '../script-files.ts';
import { printable } from '../table.ts';

type State = 'as it was' | 'changed' | 'at fault';

export const format: LocalCommand = {
  name: 'format',
  summary: 'format .pine scripts in place',
  usage: ['script.pine…', 'script.pine… --check', 'script.pine --stdout'],
  flags: {},
  switches: {
    check: 'change nothing; list what would change and exit 1 if anything would',
    stdout: 'print the formatted script instead of writing the file',
  },
  async local({ words, switches }, io) {
    const [isCheck, isPrint] = [switches.has('check'), switches.has('stdout')];
    if (words.length === 0) throw new UsageFault('The script is missing; write it like: signalbox format script.pine.');
    if (isCheck && isPrint) throw new UsageFault('Give --check or --stdout, not both.');
    if (isPrint && words.length > 1) throw new UsageFault('--stdout prints one script; name only one.');
    const states: State[] = [];
    for (const file of words) states.push(await formatOne(file, isCheck ? 'check' : isPrint ? 'print' : 'write', io));
    const isWrong = states.includes('at fault') || (isCheck && states.includes('changed'));
    return isWrong ? 1 : 0;
  },
};

async function formatOne(file: string, mode: 'check' | 'print' | 'write', io: LocalIo): Promise<State> {
  const { format: formatted, LineTable } = await import('../../pine/index.ts');
  const source = readScript(file);
  const { text, diagnostics } = formatted(source);
  if (diagnostics.some(({ severity }) => severity === 'error')) {
    const lines = new LineTable(source);
    const findings = diagnostics.map(({ span, ...found }) => {
      const { line: endLine, column: endColumn } = lines.positionAt(span.end);
      return { ...found, ...lines.positionAt(span.start), endLine, endColumn };
    });
    io.err(
      `${codeFrames(file, source, findings, io.errPaint)}\n\n${printable(file)}: left as it is until it can be read.`,
    );
    return 'at fault';
  }
  if (mode === 'print') io.out(text.replace(/\n$/, ''));
  if (text === source) return 'as it was';
  if (mode === 'check') io.out(`${printable(file)}: would change`);
  if (mode === 'write') {
    replaceFile(file, text);
    io.out(`${printable(file)}: formatted`);
  }
  return 'changed';
}
