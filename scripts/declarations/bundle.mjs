// Joins declarations: one file for each entry, and what several of them share.
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

/** Packages whose types are copied, since their code is in the build. */
const INCLUDED = ['hono', 'kysely'];

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
    plugins: [dts({ includeExternal: INCLUDED })],
    onwarn() {},
  });
  const output = { dir: folder, format: 'es', entryFileNames: '[name].d.ts', chunkFileNames: 'shared.d.ts' };
  const written = await bundle.write(output);
  await bundle.close();
  const files = written.output.map(({ fileName }) => fileName);
  for (const { fileName, imports } of written.output)
    for (const name of imports)
      if (!name.startsWith('node:') && !doors.includes(name) && !files.includes(name))
        throw new Error(`${fileName} imports ${name}, which users do not have`);
}
