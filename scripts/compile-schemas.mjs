// Compiles the JSON Schemas ahead of time, since ajv would need `new Function` and 80 ms for it at every start.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { transformSync, buildSync } from 'esbuild';

/** The parts of a schema that say which fields there are and of what type; what a text must look like is the rules' matter. */
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

/** The source of src/core/generated/validators.js. */
export function validatorsSource(root) {
  const read = (name) => JSON.parse(readFileSync(join(root, 'schemas', `${name}.schema.json`), 'utf8'));
  const ajv = new Ajv({
    allErrors: true,
    code: { source: true, esm: true, optimize: true },
    schemas: { registryShape: shapeOf(read('registry')), appShape: shapeOf(read('app')), config: read('config') },
  });
  const code = standalone.default(ajv, {
    validateRegistryShape: 'registryShape',
    validateAppShape: 'appShape',
    validateConfig: 'config',
  });
  const bundled = buildSync({
    stdin: { contents: code, resolveDir: root, loader: 'js' },
    bundle: true,
    format: 'esm',
    write: false,
    minifySyntax: true,
    absWorkingDir: root,
  });
  const { code: plain } = transformSync(bundled.outputFiles[0].text, {
    format: 'esm',
    minifyWhitespace: true,
    minifySyntax: true,
  });
  return `// Generated from schemas/ by scripts/compile-schemas.mjs. Do not edit.\n${plain}`;
}

export function compileSchemas(root) {
  const folder = join(root, 'src/core/generated');
  mkdirSync(folder, { recursive: true });
  const target = join(folder, 'validators.js');
  const source = validatorsSource(root);
  let old = null;
  try {
    old = readFileSync(target, 'utf8');
  } catch {}
  if (old !== source) writeFileSync(target, source);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  compileSchemas(dirname(dirname(fileURLToPath(import.meta.url))));
