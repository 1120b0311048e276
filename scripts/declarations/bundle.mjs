// Joins declarations: one file for each entry, and what several of them share.
import { existsSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

/** Packages whose types are copied, since their code is in the build. */
const INCLUDED = ['hono', 'kysely', '@sigstore/verify', '@sigstore/bundle', '@sigstore/core'];

/** Files of included packages without a suffix in their imports, which the resolution for ES modules does not find. */
const neighbours = {
  name: 'neighbours',
  resolveId(path, importer) {
    if (!path.startsWith('.') || !importer?.includes('node_modules')) return null;
    const base = join(dirname(importer), path);
    return [`${base}.d.ts`, join(base, 'index.d.ts')].find((file) => existsSync(file)) ?? null;
  },
};

/**
 * @param folder gets the files
 * @param entries declarations by the name of their file, without its suffix
 * @param doors packages that users have
 * @throws if a declaration imports another package
 */
export async function bundleDeclarations(folder, entries, doors) {
  const bundle = await rollup({
    input: entries,
    external: doors,
    plugins: [neighbours, dts({ includeExternal: INCLUDED })],
    onwarn() {},
  });
  const output = { dir: folder, format: 'es', entryFileNames: '[name].d.ts', chunkFileNames: 'shared.d.ts' };
  const written = await bundle.write(output);
  await bundle.close();
  for (const { fileName, imports } of written.output)
    for (const name of imports)
      if (!isKnown(name, doors)) throw new Error(`${fileName} imports ${name}, which users do not have`);
}

function isKnown(name, doors) {
  return isBuiltin(name) || name.endsWith('.d.ts') || doors.includes(name);
}
