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
  const body = rows.map((cells) => element('tr', {}, ...cells.map((cell) => element('td', {}, cell))));
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

function rulesOf(schema) {
  const rules = [];
  const say = (name, words) => {
    if (schema[name] !== undefined) rules.push(`${words} ${schema[name]}`);
  };
  say('minimum', 'at least');
  say('exclusiveMinimum', 'greater than');
  // Whole numbers are bounded by what a number can hold; saying so would only puzzle.
  if (schema.maximum !== Number.MAX_SAFE_INTEGER) say('maximum', 'at most');
  say('exclusiveMaximum', 'less than');
  say('minLength', 'characters: at least');
  say('maxLength', 'characters: at most');
  say('minItems', 'items: at least');
  say('maxItems', 'items: at most');
  if (schema.default !== undefined) rules.push(`default ${JSON.stringify(schema.default)}`);
  if (schema.description) rules.push(schema.description);
  return rules.join('; ');
}

function fieldRows(spec, given, prefix = '', depth = 0) {
  const schema = resolve(spec, given);
  const rows = [];
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const field = resolve(spec, child);
    const required = (schema.required ?? []).includes(name) ? 'yes' : 'no';
    rows.push([element('code', {}, prefix + name), typeOf(field), required, rulesOf(field)]);
    if (field.properties && depth < 3) rows.push(...fieldRows(spec, field, `${prefix}${name}.`, depth + 1));
  }
  return rows;
}

function shellQuoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function curlLine(spec, method, path, operation) {
  const base = spec.servers?.[0]?.url ?? location.origin;
  const parts = [`curl -sS -X ${method.toUpperCase()} ${shellQuoted(base + path)}`];
  if (operation.security?.length) parts.push('-H "X-Internal-Auth-Key: $INTERNAL_TOKEN"');
  const body = operation.requestBody?.content?.['application/json'];
  if (body) {
    parts.push("-H 'Content-Type: application/json'");
    parts.push(`-d ${shellQuoted(JSON.stringify(body.example ?? {}))}`);
  }
  return parts.join(' \\\n  ');
}

function curlBlock(line) {
  const button = element('button', { type: 'button' }, 'Copy');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(line);
    button.textContent = 'Copied';
  });
  return [element('h4', {}, 'Try it'), element('pre', {}, element('code', {}, line)), button];
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
  const statuses = Object.entries(operation.responses).map(([status, { description, content }]) => {
    const names = fieldRows(spec, content?.['application/json']?.schema).map(([field]) => field.textContent);
    return [element('code', {}, status), description, names.join(', ')];
  });
  article.append(element('h4', {}, 'Answers'), table(['Status', 'Meaning', 'Fields'], statuses));
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
        contents.append(element('a', { href: `#${operation.operationId}` }, `${method.toUpperCase()} ${path}`));
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
  } catch (fault) {
    document.getElementById('about').textContent =
      `The description at ${url} did not load (${fault.message}). Reload the page.`;
  }
}

load();
