// The kept runs of a folder, one file each, named by its number: `signalbox-runs/7.json`.
//
// A file of its own for each run means that two commands at once cannot lose one another's, that a version control system
// shows what was added, and that a person can copy one to somebody else.

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { UnnamedRun } from '../library/runs/keep-run.ts';
import { ALL_NOTED, type KeptRun, MAX_KEPT_RUNS } from '../library/runs/kept-run.ts';
import { keptRunSchema } from '../library/runs/run-schema.ts';
import { replaceFile } from './replace-file.ts';
import { fileFault, writeFault } from './script-files.ts';

export const RUN_FOLDER = 'signalbox-runs';

/** What a command line said that decides a run: with it the run is made again. Nothing of it is secret. */
export interface RunCommand {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, string>>;
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

export type FolderRun = KeptRun & { readonly command: RunCommand };

const FILE_NAME = /^([1-9]\d{0,8})\.json$/;
const ID = /^[1-9]\d{0,8}$/;
/** Ten times what the longest run needs; what is larger is something else. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;

const texts = z.array(z.string());
const folderRunSchema = keptRunSchema.extend({
  command: z.object({
    words: texts,
    flags: z.record(z.string(), z.string()),
    lists: z.record(z.string(), texts),
  }),
});

export class RunFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Newest first. A file that is no run is told, and hides no other. */
  list(onFault: (error: Error) => void): FolderRun[] {
    return this.#numbers().flatMap((number) => {
      try {
        return [this.#readFile(number)];
      } catch (error) {
        onFault(error as Error);
        return [];
      }
    });
  }

  read(id: string): FolderRun {
    const known = ID.test(id) && this.#numbers().includes(Number(id));
    if (!known)
      throw new Error(`There is no run ${id} in ${this.#folder}; "signalbox runs list" shows those there are.`);
    return this.#readFile(Number(id));
  }

  /** The number it got. Where there are too many, the oldest without a note goes. */
  add(run: UnnamedRun & { readonly command: RunCommand }): string {
    try {
      mkdirSync(this.#folder, { recursive: true });
    } catch (error) {
      throw writeFault(this.#folder, error);
    }
    this.#makeRoom();
    for (let number = (this.#numbers()[0] ?? 0) + 1; ; number += 1) {
      const path = this.#pathOf(number);
      try {
        // Another command may have taken the number meanwhile.
        writeFileSync(path, textOf({ id: String(number), ...run }), { flag: 'wx' });
        return String(number);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw writeFault(path, error);
      }
    }
  }

  note(id: string, note: string): FolderRun {
    const noted = { ...this.read(id), note };
    replaceFile(this.#pathOf(Number(id)), textOf(noted));
    return noted;
  }

  /** Also one that cannot be read. */
  remove(id: string): void {
    if (!ID.test(id) || !this.#numbers().includes(Number(id))) this.read(id);
    try {
      rmSync(this.#pathOf(Number(id)));
    } catch (error) {
      throw writeFault(this.#pathOf(Number(id)), error);
    }
  }

  #makeRoom(): void {
    const numbers = this.#numbers();
    if (numbers.length < MAX_KEPT_RUNS) return;
    const oldest = this.list(() => {})
      .reverse()
      .find(({ note }) => note === '');
    if (oldest === undefined) throw new Error(`${ALL_NOTED}: signalbox runs remove.`);
    this.remove(oldest.id);
  }

  #pathOf(number: number): string {
    return join(this.#folder, `${number}.json`);
  }

  /** Largest first; none where there is no folder yet. */
  #numbers(): number[] {
    try {
      const names = readdirSync(this.#folder);
      const found = names.flatMap((name) => FILE_NAME.exec(name)?.[1] ?? []);
      return found.map(Number).sort((a, b) => b - a);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw fileFault(this.#folder, 'it cannot be read; is it a folder of runs, and yours?');
    }
  }

  #readFile(number: number): FolderRun {
    const path = this.#pathOf(number);
    try {
      if (statSync(path).size > MAX_FILE_BYTES) throw new Error('it is too large');
      return { ...folderRunSchema.parse(JSON.parse(readFileSync(path, 'utf8'))), id: String(number) };
    } catch {
      throw fileFault(path, 'it is no kept run; was it changed by hand? Put it back, or remove it');
    }
  }
}

const textOf = (run: FolderRun): string => `${JSON.stringify(run, null, 1)}\n`;
