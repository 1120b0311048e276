// Compiles the JSON Schemas ahead of time, since ajv would need `new Function` and 80 ms for it at every start.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { transformSync, buildSync } from 'esbuild';
import { SchemaGenerator } from './schema-generator.mjs';
import { writeSchemas } from './schemas.mjs';

/** The parts of a schema that define the fields and their types; rules check the format of texts. */
function shapeOf(schema) {
  if (Array.isArray(schema)) return schema.map(shapeOf);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(
    ([name]) => !['pattern', 'propertyNames', 'patternProperties', 'description', 'title', 'default'].includes(name),
  );
  return Object.fromEntries(
    kept.map(([name, value]) => [
      name,
      name === 'properties' || name === 'definitions'
        ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, shapeOf(v)]))
        : shapeOf(value),
    ]),
  );
}

/** Without descriptions. */
function withoutWords(schema) {
  return JSON.parse(
    JSON.stringify(schema, (name, value) => (name === 'description' && typeof value === 'string' ? undefined : value)),
  );
}

/** Messages are written by core/json/violations.ts. */
const ALL_ERRORS = { allErrors: true, allowUnionTypes: true, messages: false };

/** The files of src/core/generated, by name. Validators that few commands need are separate files. */
export function validatorFiles(root) {
  const read = (name) => JSON.parse(readFileSync(join(root, 'schemas', `${name}.schema.json`), 'utf8'));
  const facts = read('facts');
  return {
    'shapes.js': sourceOf(
      root,
      { registryShape: shapeOf(read('registry')), appShape: shapeOf(read('app')) },
      { validateRegistryShape: 'registryShape', validateAppShape: 'appShape' },
      ALL_ERRORS,
    ),
    'config.js': sourceOf(root, { config: read('config') }, { validateConfig: 'config' }, ALL_ERRORS),
    'app-description.js': sourceOf(
      root,
      { appDescription: read('app-description') },
      { validateAppDescription: 'appDescription' },
      ALL_ERRORS,
    ),
    'lock.js': sourceOf(root, { lock: read('lock') }, { validateLock: 'lock' }, ALL_ERRORS),
    'about.js': sourceOf(root, { about: read('about') }, { validateAbout: 'about' }, ALL_ERRORS),
    'policy.js': sourceOf(root, { policy: read('policy') }, { validatePolicy: 'policy' }, ALL_ERRORS),
    'facts.js': sourceOf(
      root,
      { facts: { ...withoutWords(facts), $id: 'facts' } },
      {
        validateFacts: 'facts',
        validateManifestFacts: 'facts#/definitions/documentFacts',
        validateAppFacts: 'facts#/definitions/appFacts',
      },
      { ...ALL_ERRORS, inlineRefs: 3 },
    ),
    // They remove the members that the types do not have.
    'service.js': sourceOf(
      root,
      { service: { ...withoutWords(answerSchemas(root)), $id: 'service' } },
      Object.fromEntries(ANSWERS.map((name) => [`is${name}Answer`, `service#/definitions/${definitionOf(name)}`])),
      { allowUnionTypes: true, removeAdditional: 'all', messages: false, inlineRefs: false },
    ),
  };
}

/** The responses of the API of a service that a client reads. */
const ANSWERS = ['Registries', 'Report', 'Apps', 'App', 'Versions'];

function definitionOf(name) {
  return `${name[0].toLowerCase()}${name.slice(1)}Answer`;
}

function answerSchemas(root) {
  const generator = new SchemaGenerator(join(root, 'src/core/facts/service.ts'), false);
  for (const name of ANSWERS) generator.reference(`${name}Answer`);
  return { definitions: generator.definitions };
}

function sourceOf(root, schemas, names, options) {
  const ajv = new Ajv({
    ...options,
    // The wording of a pattern, which editors show too.
    keywords: ['patternErrorMessage'],
    code: { source: true, esm: true, optimize: true },
    schemas,
  });
  const bundled = buildSync({
    stdin: { contents: standalone.default(ajv, names), resolveDir: root, loader: 'js' },
    bundle: true,
    format: 'esm',
    write: false,
    minifySyntax: true,
    absWorkingDir: root,
  });
  const { code: plain } = transformSync(bundled.outputFiles[0].text, {
    format: 'esm',
    minify: true,
  });
  return `// Generated from schemas/ by scripts/compile-schemas.mjs. Do not edit.\n${plain}`;
}

export function compileSchemas(root) {
  writeSchemas(root);
  const folder = join(root, 'src/core/generated');
  mkdirSync(folder, { recursive: true });
  for (const [name, source] of Object.entries(validatorFiles(root))) {
    const target = join(folder, name);
    let old = null;
    try {
      old = readFileSync(target, 'utf8');
    } catch {}
    if (old !== source) writeFileSync(target, source);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  compileSchemas(dirname(dirname(fileURLToPath(import.meta.url))));
