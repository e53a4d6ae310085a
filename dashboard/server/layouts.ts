// What is saved under names, at the server, so that every browser of the owner has it: layouts of charts, templates of indicators, queries.

import type { z } from 'zod';
import type { layoutSchema, layoutSummarySchema } from '../../src/services/gateway/admin-layouts.ts';
import type { Result } from './answers.ts';
import { ask, Refused } from './ask.ts';

export type SavedName = z.infer<typeof layoutSummarySchema>;

/** What a browser kept by itself before the server did. */
export interface KeptLayout<Content> {
  readonly name: string;
  readonly about: string;
  readonly content: Content;
}

const PATH = '/admin/layouts';
const MAX_NAME_CHARS = 60;
const MAX_ABOUT_CHARS = 200;
/** Of a hundred there is none with more digits. */
const NUMBER_CHARS = ' (101)'.length;

/** Another state is there under the name than this page has opened. */
export class SavedMeanwhile extends Error {
  readonly savedName: string;
  /** Of what is there; 0: nothing any more. */
  readonly revision: number;

  constructor(name: string, revision: number) {
    super(
      revision === 0
        ? `${name} was deleted meanwhile. Save again to bring it back.`
        : `${name} is there already, and this page has not opened it as it is now. Replace it, or choose another name.`,
    );
    this.savedName = name;
    this.revision = revision;
  }
}

export class SavedLayouts<Content extends object> {
  readonly #kind: SavedName['kind'];
  /** By name, as this page has opened or saved them: it may replace those and no others, whatever a list says since. */
  readonly #opened = new Map<string, number>();

  constructor(kind: SavedName['kind']) {
    this.#kind = kind;
  }

  /** Asked for by whoever shows the list: all of them, without their content. */
  get listPath(): string {
    return `${PATH}?kind=${this.#kind}`;
  }

  async read(name: string): Promise<Content> {
    const { result } = await ask<Result<z.infer<typeof layoutSchema>>>(this.#pathOf(name));
    this.#opened.set(result.name, result.revision);
    return result.content as Content;
  }

  /** Over what this page has opened under the name, or over the revision that the user has agreed to replace; 0: nothing there. */
  async save(
    { name, about, content }: KeptLayout<Content>,
    revision = this.#opened.get(name.normalize('NFC')) ?? 0,
  ): Promise<void> {
    // A cut may leave half of a character.
    const body = { content, about: about.slice(0, MAX_ABOUT_CHARS).toWellFormed(), revision };
    try {
      const { result } = await ask<Result<SavedName>>(this.#pathOf(name), { method: 'PUT', body });
      this.#opened.set(result.name, result.revision);
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== 'LAYOUT_CONFLICT') throw error;
      if (error.revision === 0) this.#opened.delete(name.normalize('NFC'));
      throw new SavedMeanwhile(name, error.revision ?? 0);
    }
  }

  async remove({ name, revision }: Pick<SavedName, 'name' | 'revision'>): Promise<void> {
    await ask(`${this.#pathOf(name)}?revision=${revision}`, { method: 'DELETE' });
    this.#opened.delete(name.normalize('NFC'));
  }

  /** What this browser kept by itself, before the server did. One that cannot be moved stays, and holds none of the others up. */
  async takeOver(kept: readonly KeptLayout<Content>[], forget: (name: string) => void): Promise<void> {
    const failed: string[] = [];
    for (const each of kept) {
      try {
        await this.#takeOne(each);
        forget(each.name);
      } catch (error) {
        failed.push(`${each.name} (${(error as Error).message})`);
      }
    }
    if (failed.length > 0)
      throw new Error(
        `These are kept by this browser alone and could not be moved to the server: ${failed.join('; ')}`,
      );
  }

  /** Under its name in plain spelling where it is not taken as it is. */
  async #takeOne(kept: KeptLayout<Content>): Promise<void> {
    try {
      await this.#saveBeside(kept);
    } catch (error) {
      const name = plainSpelling(kept.name);
      if (name === kept.name) throw error;
      await this.#saveBeside({ ...kept, name });
    }
  }

  /** Another one of that name stays, and this one gets a number behind its own. */
  async #saveBeside(kept: KeptLayout<Content>): Promise<void> {
    const { result } = await ask<Result<readonly SavedName[]>>(this.listPath);
    const taken = new Set(result.map(({ name }) => name));
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? kept.name : `${kept.name.slice(0, MAX_NAME_CHARS - NUMBER_CHARS)} (${number})`;
      if (!taken.has(name)) return this.save({ ...kept, name }, 0);
      if (JSON.stringify(await this.read(name)) === JSON.stringify(kept.content)) return;
    }
  }

  #pathOf(name: string): string {
    // The browser itself takes them for steps in the path, and would ask for something else.
    if (/^\.{1,2}$/.test(name)) throw new Error('A name needs more than dots. Choose one with letters.');
    return `${PATH}/${this.#kind}/${encodeURIComponent(name)}`;
  }
}

/** One line with single blanks and nothing that nobody sees, as the server wants names; browsers kept any. */
function plainSpelling(name: string): string {
  const seen = name.replace(/[\p{Cc}\p{Z}]+/gu, ' ').replace(/[\p{Cf}\p{DI}\p{Cs}]/gu, '');
  const plain = seen.normalize('NFC').replace(/ +/g, ' ').trim().slice(0, MAX_NAME_CHARS).trim();
  return /^\.{0,2}$/.test(plain) ? `Layout ${plain}`.trim() : plain;
}
