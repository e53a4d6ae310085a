// Finds a C compiler, or fetches Debian's into node_modules/.cache and uses it from there.

import { globSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fetchPackages, findProgram, isProgram, reasonOf } from '../debian-packages.ts';

export interface Compiler {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

const HOW_TO_INSTALL =
  'tests of a failing disk, a power cut and a wrong clock need a C compiler, and there is none on this machine. Install it so that cc, gcc or clang is ' +
  'in the PATH: "apt-get install gcc libc6-dev" on Debian and Ubuntu';

/** There are no skipped tests here: where none can be had, this rejects and says how to install it. */
export async function findCompiler(): Promise<Compiler> {
  for (const name of ['cc', 'gcc', 'clang']) {
    const program = findProgram(name);
    if (program !== undefined) return { program, args: [], env: process.env };
  }
  try {
    return await fetchPackages('c-compiler', ['gcc', 'libc6-dev'], unpackedAt);
  } catch (error) {
    throw new Error(`${HOW_TO_INSTALL}. (Fetching it by apt failed: ${reasonOf(error)})`);
  }
}

/** It finds its own parts beside itself; assembler, linker, headers and libraries it must be shown. */
function unpackedAt(root: string): Compiler | undefined {
  const program = join(root, 'usr/bin/gcc');
  if (!isProgram(program)) return undefined;
  const tools = join(root, 'usr/bin');
  const libraries = [...new Set(globSync(join(root, '{usr/,}lib/*/*.so*')).map((file) => dirname(file)))];
  const env = {
    ...process.env,
    PATH: [tools, process.env.PATH ?? ''].join(delimiter),
    LD_LIBRARY_PATH: libraries.join(delimiter),
  };
  return { program, args: [`--sysroot=${root}`, `-B${tools}`], env };
}
