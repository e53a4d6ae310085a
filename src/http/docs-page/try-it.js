// A form for each endpoint that sends a real request to this server, and shows all of the answer.
import { element } from './elements.js';
import { bodyOf, filledIn, filledPath, headerOf, samplePath, schemesOf, variablesIn, variablesOf } from './requests.js';

/** Longer answers are for programs; the browser would be busy with them. */
const MAX_SHOWN_CHARS = 100_000;

/** What was typed for a variable, for all forms and as long as the page is open; nothing of it is stored. */
const typed = {};

function field(label, note, input) {
  return element('label', {}, element('span', {}, label), input, ...(note ? [element('small', {}, note)] : []));
}

/** Without it the address would be another one: the browser asks for it before anything is sent. */
const NEEDED = { required: '', pattern: '.*\\S.*', title: 'a part of the address; fill it in first' };

function variableField(spec, name, isInPath) {
  const { description = '', isCredential = false } = spec['x-variables'][name] ?? {};
  const kind = isCredential ? 'password' : 'text';
  const needed = isInPath ? NEEDED : {};
  const input = element('input', { type: kind, name, autocomplete: 'off', spellcheck: 'false', ...needed });
  input.value = typed[name] ?? '';
  input.addEventListener('input', () => {
    typed[name] = input.value;
  });
  return field(name, description, input);
}

/** A parameter of the path whose example is a variable is asked for as that variable. */
function parameterFields(operation) {
  const inputs = {};
  const fields = (operation.parameters ?? [])
    .filter(({ example }) => !String(example ?? '').startsWith('$'))
    .map(({ name, in: place, description = '', example, required }) => {
      const isNeeded = place === 'path' || required;
      const needed = isNeeded ? NEEDED : {};
      const input = element('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', ...needed });
      if (isNeeded) input.value = example ?? '';
      inputs[name] = input;
      return field(`${name}, in the ${place}`, description, input);
    });
  return { inputs, fields };
}

function addressOf(path, operation, inputs) {
  const query = new URLSearchParams();
  let address = filledPath(path, { parameters: operation.parameters?.filter(({ name }) => !(name in inputs)) });
  for (const { name, in: place } of operation.parameters ?? []) {
    const value = inputs[name]?.value;
    if (value === undefined) continue;
    if (place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== '') query.set(name, value);
  }
  const filled = filledIn(address, typed);
  return query.size === 0 ? filled : `${filled}?${query}`;
}

function headersOf(spec, operation) {
  const headers = {};
  for (const scheme of schemesOf(spec, operation)) {
    const value = typed[scheme['x-variable']] ?? '';
    if (value === '') continue;
    const [name, text] = headerOf(scheme, value);
    headers[name] = text;
  }
  if (bodyOf(operation)) headers['Content-Type'] = 'application/json';
  return headers;
}

function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function shown(response, text, elapsedMs) {
  const whole = readable(text);
  const cut = whole.length > MAX_SHOWN_CHARS ? `${whole.slice(0, MAX_SHOWN_CHARS)}\n…` : whole;
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  const kind = response.ok ? 'good' : 'bad';
  return [
    element('p', { class: `status ${kind}` }, `${response.status} ${response.statusText} · ${elapsedMs} ms`),
    element('details', {}, element('summary', {}, 'Headers'), element('pre', {}, headers)),
    element('pre', { class: 'answer' }, cut === '' ? '(no body)' : cut),
  ];
}

async function send(request, place) {
  place.replaceChildren(element('p', { class: 'status' }, 'Sending…'));
  const startedMs = performance.now();
  try {
    const response = await fetch(request.address, request.init);
    const text = await response.text();
    place.replaceChildren(...shown(response, text, Math.round(performance.now() - startedMs)));
  } catch (fault) {
    const words = `No answer came (${fault.message}). Is Signalbox still running?`;
    place.replaceChildren(element('p', { class: 'status bad' }, words));
  }
}

function form(spec, method, path, operation) {
  const { inputs, fields } = parameterFields(operation);
  const body = bodyOf(operation);
  const inPath = variablesIn(samplePath(path, operation));
  const text = element('textarea', { rows: '8', spellcheck: 'false' });
  text.value = JSON.stringify(body?.example ?? {}, null, 2);
  const place = element('div', { class: 'outcome', 'aria-live': 'polite' });
  const whole = element(
    'form',
    { class: 'try', autocomplete: 'off' },
    ...variablesOf(spec, path, operation).map((name) => variableField(spec, name, inPath.includes(name))),
    ...fields,
    ...(body ? [field('Body', '', text)] : []),
    element('button', { type: 'submit' }, `Send ${method.toUpperCase()}`),
    element('small', {}, 'This is a real request to this server.'),
    place,
  );
  whole.addEventListener('submit', (event) => {
    event.preventDefault();
    const init = { method: method.toUpperCase(), headers: headersOf(spec, operation) };
    if (body) init.body = filledIn(text.value, typed);
    void send({ address: addressOf(path, operation, inputs), init }, place);
  });
  return whole;
}

/** Made when it is opened, with what was typed in other forms by then. */
export function tryIt(spec, method, path, operation) {
  const details = element('details', { class: 'try-it' }, element('summary', {}, 'Try it here'));
  let made;
  details.addEventListener('toggle', () => {
    if (!details.open || made) return;
    made = form(spec, method, path, operation);
    details.append(made);
  });
  return details;
}
