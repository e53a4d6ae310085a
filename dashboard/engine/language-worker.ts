// The language beside the page: checks, completes, explains and formats a script. It runs none, so it makes no functions of text.

import { brokerSettings, compile, complete, declaredInputs, format, hover, signatureAt } from '../../src/pine/index.ts';
import type { AnswerTo, CheckedScript, LanguageQuestion, QuestionKind } from './language-messages.ts';

function check(source: string, libraries: LanguageQuestion['libraries']): CheckedScript {
  const { program, diagnostics } = compile(source, { libraries });
  if (program === null) return { diagnostics, script: undefined };
  const { scriptType, title, inputs, settings, version } = program.checked;
  const { initialCapital: capital } = brokerSettings(settings, version, {});
  return { diagnostics, script: { type: scriptType, title, inputs: declaredInputs(inputs), capital } };
}

const ANSWERS: { readonly [Kind in QuestionKind]: (question: LanguageQuestion) => AnswerTo<Kind> } = {
  check: ({ source, libraries }) => check(source, libraries),
  complete: ({ source, offset, libraries }) => complete(source, offset, libraries),
  hover: ({ source, offset, libraries }) => hover(source, offset, libraries),
  signature: ({ source, offset, libraries }) => signatureAt(source, offset, libraries),
  format: ({ source }) => format(source),
};

addEventListener('message', ({ data }: MessageEvent<LanguageQuestion>) => {
  postMessage({ id: data.id, answer: ANSWERS[data.kind](data) });
});
