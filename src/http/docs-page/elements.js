// Makes nodes: text is set as text, so nothing in the document can become markup.

export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

export function table(headings, rows) {
  const head = element('tr', {}, ...headings.map((text) => element('th', { scope: 'col' }, text)));
  // On a narrow screen the cells stand below each other, each with its heading.
  const cell = (content, index) => element('td', { 'data-heading': headings[index] }, content);
  const body = rows.map((cells) => element('tr', {}, ...cells.map(cell)));
  const whole = element('table', {}, element('thead', {}, head), element('tbody', {}, ...body));
  return element('div', { class: 'scroll' }, whole);
}

/** A line of code with a button that copies it. */
export function codeBlock(line) {
  const block = [element('pre', {}, element('code', {}, line))];
  // Browsers lend the clipboard to secure pages only; elsewhere the line is selected by hand.
  if (!globalThis.navigator?.clipboard) return block;
  const button = element('button', { type: 'button', class: 'copy' }, 'Copy');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(line);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  return [...block, button];
}
