// Renders the OpenAPI document in the browser; builds nodes and sets text, so nothing in the document can become markup.
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function table(headings, rows) {
  const head = element('tr', {}, ...headings.map((text) => element('th', { scope: 'col' }, text)));
  // On a narrow screen the cells stand below each other, each with its heading.
  const cell = (content, index) => element('td', { 'data-heading': headings[index] }, content);
  const body = rows.map((cells) => element('tr', {}, ...cells.map(cell)));
  const whole = element('table', {}, element('thead', {}, head), element('tbody', {}, ...body));
  return element('div', { class: 'scroll' }, whole);
}

function resolve(spec, schema) {
  if (!schema?.$ref) return schema ?? {};
  return (
    schema.$ref
      .slice(2)
      .split('/')
      .reduce((node, step) => node?.[step], spec) ?? {}
  );
}

function typeOf(schema) {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const forms = schema.anyOf ?? schema.oneOf;
  if (forms) return forms.map(typeOf).join(' | ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`;
  const name = Array.isArray(schema.type) ? schema.type.join(' | ') : (schema.type ?? 'any');
  return schema.format ? `${name} (${schema.format})` : name;
}

function range(least, most, unit) {
  const [from, to] = [least, most].map((bound) => bound?.toLocaleString('en'));
  if (from !== undefined && to !== undefined) return `${from} to ${to}${unit}`;
  if (from !== undefined) return `at least ${from}${unit}`;
  return to === undefined ? undefined : `at most ${to}${unit}`;
}

// Whole numbers are bounded by what a number can hold; saying so would only puzzle.
function bound(limit) {
  return Math.abs(limit) === Number.MAX_SAFE_INTEGER ? undefined : limit;
}

function rulesOf(schema) {
  const rules = [
    schema.exclusiveMinimum === undefined ? undefined : `greater than ${schema.exclusiveMinimum}`,
    range(bound(schema.minimum), bound(schema.maximum), ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ];
  const known = rules.filter((rule) => rule !== undefined).join(', ');
  if (!schema.description) return known;
  return known === '' ? schema.description : `${schema.description} (${known})`;
}

// The object a field leads to: itself, the form that is not null, or what a list is made of.
function insideOf(spec, given) {
  const schema = resolve(spec, given);
  if (schema.properties) return [schema, '.'];
  if (schema.type === 'array') return [insideOf(spec, schema.items)[0], '[].'];
  const form = (schema.anyOf ?? schema.oneOf ?? []).find((candidate) => resolve(spec, candidate).properties);
  return [resolve(spec, form), '.'];
}

function fieldRows(spec, given, prefix = '', depth = 0) {
  const schema = resolve(spec, given);
  const rows = [];
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const field = resolve(spec, child);
    const required = (schema.required ?? []).includes(name) ? 'yes' : 'no';
    rows.push([element('code', {}, prefix + name), typeOf(field), required, rulesOf(field)]);
    const [inside, joint] = insideOf(spec, field);
    if (inside.properties && depth < 3) rows.push(...fieldRows(spec, inside, prefix + name + joint, depth + 1));
  }
  return rows;
}

function shellQuoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function curlLine(spec, method, path, operation) {
  const base = spec.servers?.[0]?.url ?? location.origin;
  const verb = method === 'get' ? '' : `-X ${method.toUpperCase()} `;
  const parts = [`curl -sS ${verb}${shellQuoted(base + path)}`];
  if (operation.security?.length) parts.push('-H "X-Internal-Auth-Key: $INTERNAL_TOKEN"');
  const body = operation.requestBody?.content?.['application/json'];
  if (body) {
    parts.push("-H 'Content-Type: application/json'");
    parts.push(`-d ${shellQuoted(JSON.stringify(body.example ?? {}))}`);
  }
  return parts.join(' \\\n  ');
}

function curlBlock(line) {
  const block = [element('h4', {}, 'Try it'), element('pre', {}, element('code', {}, line))];
  // Browsers lend the clipboard to secure pages only; elsewhere the line is selected by hand.
  if (!globalThis.navigator?.clipboard) return block;
  const button = element('button', { type: 'button' }, 'Copy');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(line);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  return [...block, button];
}

function answerFields(spec, status, content) {
  const rows = fieldRows(spec, content?.['application/json']?.schema);
  if (rows.length === 0) return [];
  const summary = element('summary', {}, `Fields of a ${status} answer`);
  const cells = rows.map(([name, type, , rules]) => [name, type, rules]);
  return [element('details', {}, summary, table(['Field', 'Type', 'Notes'], cells))];
}

function endpoint(spec, method, path, operation) {
  const title = element('h3', {}, element('span', { class: `method ${method}` }, method.toUpperCase()), path);
  if (operation.security?.length) title.append(element('span', { class: 'lock' }, 'internal token'));
  const article = element('article', { id: operation.operationId }, title, element('p', {}, operation.summary));
  if (operation.description) article.append(element('p', {}, operation.description));
  if (operation.parameters) {
    const rows = operation.parameters.map(({ name, in: place, required, schema }) => [
      element('code', {}, name),
      `${typeOf(schema)}, in the ${place}`,
      required ? 'yes' : 'no',
      rulesOf(schema),
    ]);
    article.append(element('h4', {}, 'Parameters'), table(['Name', 'Type', 'Required', 'Rules'], rows));
  }
  const body = operation.requestBody?.content?.['application/json']?.schema;
  if (body) {
    const rows = fieldRows(spec, body);
    if (rows.length > 0) article.append(element('h4', {}, 'Body'), table(['Field', 'Type', 'Required', 'Rules'], rows));
  }
  const answers = Object.entries(operation.responses);
  const statuses = answers.map(([status, { description }]) => [element('code', {}, status), description]);
  article.append(element('h4', {}, 'Answers'), table(['Status', 'Meaning'], statuses));
  for (const [status, { content }] of answers) {
    if (Number(status) < 300) article.append(...answerFields(spec, status, content));
  }
  article.append(...curlBlock(curlLine(spec, method, path, operation)));
  return article;
}

function render(spec) {
  document.getElementById('about').textContent = `Version ${spec.info.version}. ${spec.info.description}`;
  const contents = document.getElementById('contents');
  const endpoints = document.getElementById('endpoints');
  for (const { name } of spec.tags) {
    contents.append(element('h2', {}, name));
    endpoints.append(element('h2', {}, name));
    for (const [path, operations] of Object.entries(spec.paths)) {
      for (const method of METHODS) {
        const operation = operations[method];
        if (operation?.tags[0] !== name) continue;
        const verb = element('span', { class: method }, method.toUpperCase());
        contents.append(element('a', { href: `#${operation.operationId}` }, verb, ` ${path}`));
        endpoints.append(endpoint(spec, method, path, operation));
      }
    }
  }
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

load();
