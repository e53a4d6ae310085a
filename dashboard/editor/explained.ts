// The few marks of the language's explanations as elements: blocks of code, lists, paragraphs, code and bold words in a line.

type Child = Node | string;

function element(name: string, ...children: readonly Child[]): HTMLElement {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

/** The text between two backticks is code; nothing is ever read as HTML. */
const inLine = (text: string): Child[] =>
  text.split(/(`[^`]*`)/).map((part) => (/^`.*`$/.test(part) ? element('code', part.slice(1, -1)) : part));

/** Whole paragraphs of Markdown; each block of code and each list stands alone, as src/pine/editor writes them. */
export function explained(markdown: string): HTMLElement {
  const root = element('div');
  root.className = 'cm-explained';
  for (const [, code, rest] of markdown.matchAll(/```pine\n([\s\S]*?)\n```|((?:(?!```)[\s\S])+)/g)) {
    if (code !== undefined) root.append(element('pre', code));
    for (const paragraph of (rest ?? '').split(/\n{2,}/)) {
      const lines = paragraph.trim().split('\n');
      if (lines[0] === '') continue;
      const isList = lines.every((line) => line.startsWith('- '));
      root.append(
        isList
          ? element('ul', ...lines.map((line) => element('li', ...inLine(line.slice(2)))))
          : element('p', ...inLine(lines.join(' '))),
      );
    }
  }
  return root;
}

/** A signature with one of its parameters made bold. */
export function signatureLine(signature: string, parameter: string | null): HTMLElement {
  const opens = signature.indexOf('(');
  const at = parameter === null ? -1 : signature.slice(opens).search(new RegExp(`[(, ]${parameter}\\b`));
  if (at < 0 || parameter === null) return element('pre', signature);
  const start = opens + at + 1;
  const [head, tail] = [signature.slice(0, start), signature.slice(start + parameter.length)];
  return element('pre', head, element('strong', parameter), tail);
}
