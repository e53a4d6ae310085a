// What the page asks its language worker, and what it answers.

import type {
  Completion,
  DeclaredInput,
  Diagnostic,
  Formatted,
  Hover,
  LibrarySource,
  SignatureHelp,
} from '../../src/pine/index.ts';

/** What is known of a script as it is written. */
export interface CheckedScript {
  readonly diagnostics: readonly Diagnostic[];
  /** Undefined while it has errors. */
  readonly script:
    | {
        readonly type: string;
        readonly title: string;
        readonly inputs: readonly DeclaredInput[];
        /** Of a strategy: what it begins with unless somebody says otherwise. */
        readonly capital: number;
      }
    | undefined;
}

interface Answers {
  readonly check: CheckedScript;
  readonly complete: readonly Completion[];
  readonly hover: Hover | null;
  readonly signature: SignatureHelp | null;
  readonly format: Formatted;
}

export type QuestionKind = keyof Answers;
export type AnswerTo<Kind extends QuestionKind> = Answers[Kind];

export interface LanguageQuestion {
  readonly id: number;
  readonly kind: QuestionKind;
  readonly source: string;
  readonly offset: number;
  /** The published libraries that the script imports. */
  readonly libraries: readonly LibrarySource[];
}

export interface LanguageAnswer {
  readonly id: number;
  readonly answer: AnswerTo<QuestionKind>;
}
