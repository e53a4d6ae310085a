// Steps of the owner's database: a change and its entry in the audit are one transaction, and whoever watches is told after it.

import { AccessFault } from '../../../../access/access-fault.ts';
import { KeyError } from '../../../../keys/webhook-keys.ts';
import type { AuditEntry } from '../../../../trading/intake/controls.ts';
import type { Sql, SqlDatabase } from '../sql.ts';
import type { Glance } from './glance.ts';

export interface OwnerStep {
  readonly sql: Sql;
  audit(entry: AuditEntry): Promise<void>;
}

type Work<T> = (step: OwnerStep) => Promise<T>;

export class OwnerSteps {
  readonly #database: Pick<SqlDatabase, 'inOneStep'>;
  readonly #glance: Glance;
  readonly #listeners: (() => void)[] = [];

  constructor(database: Pick<SqlDatabase, 'inOneStep'>, glance: Glance) {
    this.#database = database;
    this.#glance = glance;
  }

  /** Called soon after every step that is on disk and has an entry in the audit; of one that failed nothing is told. */
  watchAudit(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** On disk when it resolves, or nothing of it is. The work may be run twice. */
  async inOneStep<T>(work: Work<T>): Promise<T> {
    let refusal: Error | undefined;
    let hasAudit = false;
    const run = async (sql: Sql): Promise<T> => {
      [refusal, hasAudit] = [undefined, false];
      const audit = async (entry: AuditEntry): Promise<void> => {
        await insertAudit(sql, entry);
        hasAudit = true;
      };
      try {
        return await work({ sql, audit });
      } catch (error) {
        if (isRefusal(error)) refusal = error;
        throw error;
      }
    };
    try {
      const result = await this.#database.inOneStep(run);
      if (hasAudit) this.#tell();
      return result;
    } catch (error) {
      throw refusal ?? error;
    }
  }

  /** The same for a change of what is read at a glance: it is seen there when this resolves. */
  async changeControls<T>(work: Work<T>): Promise<T> {
    const result = await this.inOneStep(async (step) => {
      const given = await work(step);
      await this.#glance.mark(step.sql);
      return given;
    });
    await this.#glance.refresh();
    return result;
  }

  /** In a turn of their own: what listeners do is not the concern of whoever made the change. */
  #tell(): void {
    setImmediate(() => {
      for (const listener of this.#listeners) listener();
    });
  }
}

/** What a step decides against takes it back, and is not the storage's fault. */
const isRefusal = (error: unknown): error is Error => error instanceof AccessFault || error instanceof KeyError;

const insertAudit = (sql: Sql, { atMs, actor, setting, before, after }: AuditEntry): Promise<number> =>
  sql.run(
    'INSERT INTO audit (at, actor, setting, before, after) VALUES (?, ?, ?, ?, ?)',
    ...[atMs, actor, setting, before, after],
  );
