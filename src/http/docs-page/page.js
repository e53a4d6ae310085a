// Renders the OpenAPI document in the browser: what each endpoint takes, answers and asks for, and how to call it.
import { codeBlock, element, table } from './elements.js';
import { fieldRows, rulesOf, typeOf } from './fields.js';
import { baseOf, bodyOf, credentialWords, curlLine, isSocket, socketLine, variablesOf } from './requests.js';
import { searchText, wireSearch } from './search.js';
import { tryIt } from './try-it.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

function answerFields(spec, status, content) {
  const rows = fieldRows(spec, content?.['application/json']?.schema);
  if (rows.length === 0) return [];
  const summary = element('summary', {}, `Fields of a ${status} answer`);
  const cells = rows.map(([name, type, , rules]) => [name, type, rules]);
  return [element('details', {}, summary, table(['Field', 'Type', 'Notes'], cells))];
}

function parameterTable(operation) {
  if (!operation.parameters) return [];
  const rows = operation.parameters.map(({ name, in: place, required, schema }) => [
    element('code', {}, name),
    `${typeOf(schema)}, in the ${place}`,
    required ? 'yes' : 'no',
    rulesOf(schema),
  ]);
  return [element('h4', {}, 'Parameters'), table(['Name', 'Type', 'Required', 'Rules'], rows)];
}

function bodyTable(spec, operation) {
  const rows = fieldRows(spec, bodyOf(operation)?.schema);
  return rows.length === 0 ? [] : [element('h4', {}, 'Body'), table(['Field', 'Type', 'Required', 'Rules'], rows)];
}

function callBlocks(spec, method, path, operation) {
  if (isSocket(operation)) return [element('h4', {}, 'From a page'), ...codeBlock(socketLine(spec, path))];
  return [
    element('h4', {}, 'With curl'),
    ...codeBlock(curlLine(spec, method, path, operation)),
    tryIt(spec, method, path, operation),
  ];
}

function endpoint(spec, method, path, operation) {
  const title = element(
    'h3',
    {},
    element('span', { class: `method ${method}` }, method.toUpperCase()),
    element('span', { class: 'path' }, path),
    element('span', { class: 'lock' }, credentialWords(spec, operation)),
  );
  const article = element('article', { id: operation.operationId }, title, element('p', {}, operation.summary));
  if (operation.description) article.append(element('p', {}, operation.description));
  const answers = Object.entries(operation.responses);
  const statuses = answers.map(([status, { description }]) => [element('code', {}, status), description]);
  article.append(
    ...parameterTable(operation),
    ...bodyTable(spec, operation),
    element('h4', {}, 'Answers'),
    table(['Status', 'Meaning'], statuses),
  );
  for (const [status, { content }] of answers) {
    if (Number(status) < 300) article.append(...answerFields(spec, status, content));
  }
  article.append(...callBlocks(spec, method, path, operation));
  return article;
}

/** Each variable of the curl lines: what it holds, and a line that sets it. */
function variablesSection(spec, used) {
  const known = Object.entries(spec['x-variables']).filter(([name]) => used.has(name));
  const blocks = known.flatMap(([name, { description, effect, command }]) => [
    element('dt', {}, element('code', {}, `$${name}`)),
    element(
      'dd',
      {},
      effect ? `${description} This line ${effect}:` : description,
      ...codeBlock(command.replaceAll('{base}', baseOf(spec))),
    ),
  ]);
  return element('dl', {}, ...blocks);
}

function render(spec) {
  const { version, description: purpose } = spec.info;
  const versions = `Version ${version} (interface) · program ${document.body.dataset.release}`;
  document.getElementById('about').textContent = `${versions}. ${purpose}`;
  const contents = document.getElementById('contents');
  const endpoints = document.getElementById('endpoints');
  const used = new Set();
  const groups = spec.tags.map(({ name: tag }) => {
    const headings = [element('h2', {}, tag), element('h2', {}, tag)];
    contents.append(headings[0]);
    endpoints.append(headings[1]);
    const entries = [];
    for (const [path, operations] of Object.entries(spec.paths)) {
      for (const method of METHODS) {
        const operation = operations[method];
        if (operation?.tags[0] !== tag) continue;
        for (const name of variablesOf(spec, path, operation)) used.add(name);
        const verb = element('span', { class: method }, method.toUpperCase());
        const nodes = [
          element('a', { href: `#${operation.operationId}` }, verb, ` ${path}`),
          endpoint(spec, method, path, operation),
        ];
        contents.append(nodes[0]);
        endpoints.append(nodes[1]);
        entries.push({ text: searchText(spec, method, path, operation), nodes });
      }
    }
    return { headings, entries };
  });
  document.getElementById('variables').append(variablesSection(spec, used));
  wireSearch(document.getElementById('search'), document.getElementById('nothing'), groups);
}

async function load() {
  const url = document.body.dataset.openapi;
  try {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    render(await answer.json());
    // The place an address points to is there only now.
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  } catch (fault) {
    document.getElementById('about').textContent =
      `The description at ${url} did not load (${fault.message}). Reload the page.`;
  }
}

void load();
