// The API's reference: the service's own description of it, for people.

import { ask } from './api.js';
import { complain, make } from './view.js';

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];
const code = (text) => make('code', {}, text);
const named = (reference) => reference.split('/').pop();
const linked = (name) => make('a', { href: '#schema-' + name }, name);

/** Text with names in backticks. */
const prose = (text = '') => text.split('`').map((part, index) => index % 2 ? code(part) : part);

const table = (rows) => make('table', { className: 'members' }, make('tbody', {}, ...rows));

/** What a value may be, in a few words; what has a name is a link. */
function kind(schema) {
  if (schema.$ref) return [linked(named(schema.$ref))];
  if (schema.anyOf) return schema.anyOf.flatMap((choice, index) => [index ? ' or ' : '', ...kind(choice)]);
  if (schema.enum) return [schema.enum.join(', ')];
  if (schema.const !== undefined) return [String(schema.const)];
  if (schema.type === 'array') return ['list of ', ...(schema.items ? kind(schema.items) : ['anything'])];
  if (schema.minimum !== undefined && schema.maximum !== undefined) return [schema.type + ', ' + schema.minimum + ' to ' + schema.maximum];
  return [schema.format ?? schema.type ?? 'anything'];
}

function members(schema) {
  if (schema.$ref) return make('p', {}, linked(named(schema.$ref)));
  const required = new Set(schema.required ?? []);
  const rows = Object.entries(schema.properties ?? {}).map(([name, member]) => make(
    'tr', {}, make('td', {}, code(name), required.has(name) ? make('small', {}, ' required') : ''),
    make('td', {}, ...kind(member), member.properties ? members(member) : ''),
    make('td', {}, ...prose(member.description), member.default !== undefined ? ' By default ' + JSON.stringify(member.default) + '.' : '')));
  return rows.length ? table(rows) : make('p', { className: 'soft' }, ...kind(schema));
}

function content(title, described) {
  return Object.entries(described?.content ?? {}).map(([type, { schema }]) => make(
    'div', {}, make('h4', {}, title, ' ', make('small', {}, type)), schema ? members(schema) : ''));
}

function parameters(list) {
  if (!list?.length) return [];
  return [make('h4', {}, 'Parameters'), table(list.map((one) => make(
    'tr', {}, make('td', {}, code(one.name), make('small', {}, ' ' + one.in + (one.required ? ', required' : ''))),
    make('td', {}, ...kind(one.schema)), make('td', {}, ...prose(one.description)))))];
}

function responses(all) {
  return [make('h4', {}, 'Answers'), table(Object.entries(all).map(([status, one]) => make(
    'tr', {}, make('td', {}, code(status === 'default' ? 'others' : status)),
    make('td', {}, ...prose(one.description)), make('td', {}, ...Object.values(one.content ?? {}).flatMap(({ schema }) => schema ? kind(schema) : [])))))];
}

const examples = { 'body.input.path': '/media/in.mkv', 'body.path': '/media/inbox' };

/** A value that the schema allows: what is required, and of several kinds the first one. */
function sample(schema, schemas, name) {
  if (schema.$ref) return sample(schemas[named(schema.$ref)] ?? {}, schemas, name);
  if (schema.oneOf ?? schema.anyOf) return sample((schema.oneOf ?? schema.anyOf)[0], schemas, name);
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'array') return [];
  if (schema.type === 'boolean') return true;
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(0, schema.minimum ?? 0);
  if (schema.type === 'string' || !schema.properties && schema.type !== 'object') return examples[name] ?? name.split('.').pop().toUpperCase();
  const required = schema.required ?? (schema.minProperties ? Object.keys(schema.properties).slice(0, schema.minProperties) : []);
  return Object.fromEntries(required.map((member) => [member, sample(schema.properties[member] ?? {}, schemas, name + '.' + member)]));
}

/** The request as a command: what stands in capitals is the reader's to fill in. */
function command(path, method, one, schemas) {
  const query = (one.parameters ?? []).filter((known) => known.in === 'query' && known.required).map((known) => known.name + '=' + known.name.toUpperCase()).join('&');
  const words = ['curl ' + location.origin + path.replace(/{(\w+)}/g, (_, name) => one.parameters?.find((known) => known.name === name)?.schema?.enum?.[0] ?? name.toUpperCase()) + (query ? '\'?' + query + '\'' : '')];
  if (method !== 'get') words.push('--request ' + method.toUpperCase());
  const [type, body] = Object.entries(one.requestBody?.content ?? {}).find(([type]) => one.requestBody.required || type !== 'application/json') ?? [];
  if (type) words.push('--header \'Content-Type: ' + type + '\'');
  if (type === 'application/json') words.push('--data \'' + JSON.stringify(sample(body.schema ?? {}, schemas, 'body')) + '\'');
  else if (type) words.push('--data-binary @FILE');
  return make('pre', {}, words.join(' \\\n    '));
}

function operation(path, method, one, schemas) {
  return make(
    'details', { className: 'card', id: one.operationId },
    make('summary', {}, code(method.toUpperCase() + ' ' + path), ' ', one.summary),
    one.description ? make('p', {}, ...prose(one.description)) : null, ...parameters(one.parameters), ...content('Body', one.requestBody),
    ...responses(one.responses), make('h4', {}, 'As a command'), command(path, method, one, schemas));
}

function page(document) {
  const tags = new Map();
  for (const [path, methodsOf] of Object.entries(document.paths)) for (const method of methods) {
    const one = methodsOf[method], tag = one?.tags?.[0] ?? 'service';
    if (one && tag !== 'dashboard') tags.set(tag, [...(tags.get(tag) ?? []), operation(path, method, one, document.components.schemas)]);
  }
  return [
    make('h2', {}, document.info.title + ' ' + document.info.version),
    make('p', {}, 'Bodies are JSON. Errors are problem documents with a code; ', linked('Problem'), ' describes them. A service that requires a token accepts it as ', code('Authorization: Bearer TOKEN'), '.'),
    make('pre', {}, 'curl ' + location.origin + '/v1/jobs --header \'Content-Type: application/json\' \\\n    --data \'{"input": {"path": "/media/in.mkv"}, "settings": {"codec": "hevc"}}\''),
    ...[...tags].sort(([a], [b]) => (b === 'jobs') - (a === 'jobs') || a.localeCompare(b)).flatMap(([tag, list]) => [make('h3', {}, tag), ...list]),
    make('h3', {}, 'Names'),
    ...Object.entries(document.components.schemas).sort().map(([name, schema]) => make(
      'details', { className: 'card', id: 'schema-' + name }, make('summary', {}, code(name)), members(schema))),
  ];
}

/** What the address names is opened, and shown. */
function open() {
  const place = document.getElementById(location.hash.slice(1));
  if (place?.localName === 'details') place.open = true;
  place?.scrollIntoView();
}

addEventListener('hashchange', open);
ask('/openapi.json').then((described) => {
  document.getElementById('main').replaceChildren(...page(described));
  open();
}, complain);
