// The search box: shows the endpoints that have every typed word in their method, path, name, description, credentials,
// fields or error codes.
import { fieldRows } from './fields.js';
import { bodyOf, credentialWords, schemesOf, variablesOf } from './requests.js';

const namesIn = (spec, content) =>
  fieldRows(spec, content?.['application/json']?.schema).map(([name]) => name.textContent);

/** Everything that somebody may look for an endpoint by. */
export function searchText(spec, method, path, operation) {
  const { summary, description = '', tags, parameters = [], responses } = operation;
  const answers = Object.entries(responses).flatMap(([status, answer]) => [
    // It names the codes of a refusal.
    answer.description,
    ...(Number(status) < 300 ? namesIn(spec, answer.content) : []),
  ]);
  const words = [
    ...[method, path, ...tags, summary, description, credentialWords(spec, operation)],
    // They tell how each key begins.
    ...schemesOf(spec, operation).map((scheme) => scheme.description),
    ...variablesOf(spec, path, operation).map((name) => spec['x-variables'][name]?.description ?? ''),
    ...parameters.map(({ name }) => name),
    ...(bodyOf(operation) ? namesIn(spec, operation.requestBody.content) : []),
    ...answers,
  ];
  return words.join(' ').toLowerCase();
}

/** `entries`: the text of an endpoint and the nodes it is shown by; `groups`: headings, each with its entries. */
export function wireSearch(input, nothing, groups) {
  const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const { headings, entries } of groups) {
      let shown = 0;
      for (const { text, nodes } of entries) {
        const fits = words.every((word) => text.includes(word));
        for (const node of nodes) node.hidden = !fits;
        if (fits) shown += 1;
      }
      for (const heading of headings) heading.hidden = shown === 0;
      found += shown;
    }
    nothing.hidden = found > 0;
  };
  input.addEventListener('input', filter);
}
