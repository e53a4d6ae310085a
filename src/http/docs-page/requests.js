// What a call of an endpoint needs: its credentials, its variables, and the curl line that makes it.

/** A text in an example such as $WEBHOOK_KEY stands for what only the reader has. */
const VARIABLE = /\$([A-Z][A-Z_]*)/g;

const JSON_TYPE = 'application/json';

export function bodyOf(operation) {
  return operation.requestBody?.content?.[JSON_TYPE];
}

/** An upgrade to a WebSocket is nothing that curl or a form could send; what answers without one too can be asked by them. */
export function isSocket({ responses }) {
  return '101' in responses && !('200' in responses);
}

/** The schemes that let a caller in together, by the first way. */
export function schemesOf(spec, operation) {
  const [way = {}] = operation.security ?? [];
  return Object.keys(way).map((name) => spec.components.securitySchemes[name]);
}

/** What opens an endpoint, in words. */
export function credentialWords(spec, operation) {
  const ways = (operation.security ?? []).map((way) =>
    Object.keys(way)
      .map((name) => spec.components.securitySchemes[name]['x-label'])
      .join(' and '),
  );
  const named = [...new Set(ways.filter((words) => words !== ''))].join(' or ');
  if (named !== '') return ways.includes('') ? `${named}, not always needed` : named;
  const inBody = bodyVariables(operation).filter((name) => spec['x-variables'][name]?.isCredential);
  if (inBody.length === 0) return 'no credential';
  return inBody.map((name) => `${spec['x-variables'][name].label}, in the body`).join(' and ');
}

export function variablesIn(text) {
  return [...text.matchAll(VARIABLE)].map(([, name]) => name);
}

function bodyVariables(operation) {
  const body = bodyOf(operation);
  return body?.example === undefined ? [] : variablesIn(JSON.stringify(body.example));
}

/** Everything a reader has to know before the call, once each: credentials first. */
export function variablesOf(spec, path, operation) {
  const fromSchemes = schemesOf(spec, operation).map((scheme) => scheme['x-variable']);
  return [...new Set([...fromSchemes, ...variablesIn(samplePath(path, operation)), ...bodyVariables(operation)])];
}

/** The path with an example for each of its parameters, and for those of the query that must be there. */
export function samplePath(path, operation) {
  const needed = (operation.parameters ?? []).filter((one) => one.in === 'query' && one.required && one.example);
  const query = needed.map(({ name, example }) => `${name}=${encodeURIComponent(example)}`).join('&');
  return filledPath(path, operation) + (query === '' ? '' : `?${query}`);
}

export function filledPath(path, operation) {
  return path.replace(/\{([^}]+)\}/g, (whole, name) => {
    const parameter = operation.parameters?.find((one) => one.in === 'path' && one.name === name);
    return parameter?.example ?? whole;
  });
}

/** The header that carries a credential. */
export function headerOf(scheme, value) {
  return scheme.type === 'http' ? ['Authorization', `Bearer ${value}`] : [scheme.name, value];
}

/** In single quotes nothing is special to a shell; variables stand between them in double quotes. */
function shellWord(text) {
  const quoted = `'${text.replaceAll("'", "'\\''")}'`.replace(VARIABLE, `'"$$$1"'`);
  return quoted.replace(/^''(?=")/, '').replace(/(?<=")''$/, '');
}

export function baseOf(spec) {
  return spec.servers?.[0]?.url ?? location.origin;
}

export function curlLine(spec, method, path, operation) {
  const verb = method === 'get' ? '' : `-X ${method.toUpperCase()} `;
  const parts = [`curl -sS ${verb}${shellWord(baseOf(spec) + samplePath(path, operation))}`];
  for (const scheme of schemesOf(spec, operation)) {
    const [name, value] = headerOf(scheme, `$${scheme['x-variable']}`);
    parts.push(`-H "${name}: ${value}"`);
  }
  const body = bodyOf(operation);
  if (body) parts.push(`-H 'Content-Type: ${JSON_TYPE}'`, `-d ${shellWord(JSON.stringify(body.example ?? {}))}`);
  return parts.join(' \\\n  ');
}

/** What a page says to talk to a WebSocket: curl lines end with the answer, and a socket has many. */
export function socketLine(spec, path) {
  return `new WebSocket('${baseOf(spec).replace(/^http/, 'ws')}${path}')`;
}

/** The text with what the reader has typed in place of the variables. */
export function filledIn(text, values) {
  return text.replace(VARIABLE, (_, name) => values[name] ?? '');
}
