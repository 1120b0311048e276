import type { FileToPack } from '../archive.ts';

/** Modules in place of packages that the place where an app is installed provides: callable, and without effect. */

const PACKAGE = /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*/;
const IDENTIFIER = String.raw`[\p{ID_Start}$_][\p{ID_Continue}$]*`;

/**
 * The packages in place of those that are external, as files of `node_modules`.
 * @param imported the modules that the code imports and that are not part of it
 * @param patterns the external names, as esbuild takes them
 * @param code of the files that import them: it has the names that their modules export
 * @param program the absolute path of the module with `standIn`
 */
export function standIns(
  imported: Iterable<string>,
  patterns: readonly string[],
  code: readonly string[],
  program: string,
): FileToPack[] {
  const modules = new Set([...imported].filter((name) => isExternal(name, patterns)));
  // Code may compute the name of a module.
  for (const pattern of patterns) modules.add(pattern.replace(/\/\*$/, ''));
  const byPackage = new Map<string, string[]>();
  for (const module of modules) {
    const [name] = PACKAGE.exec(module) ?? [];
    if (name === undefined || module.includes('*')) continue;
    byPackage.set(name, [...(byPackage.get(name) ?? []), module]);
  }
  return [...byPackage].flatMap(([name, own]) => packageFiles(name, own, code, program));
}

/** True if esbuild leaves a module out for one of these names: a name includes the modules of its package. */
export function isExternal(module: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const [start = '', end] = pattern.split('*');
    if (end === undefined) return module === pattern || module.startsWith(`${pattern}/`);
    return module.length >= start.length + end.length && module.startsWith(start) && module.endsWith(end);
  });
}

function packageFiles(
  name: string,
  modules: readonly string[],
  code: readonly string[],
  program: string,
): FileToPack[] {
  const own = modules.map((module, at) => {
    const names = [...new Set(code.flatMap((text) => importedNames(text, module)))];
    return { at: `.${module.slice(name.length)}`, file: `./${at}`, names };
  });
  const all = [...own, { at: './*', file: './any', names: [] }];
  const exports = Object.fromEntries(
    all.map(({ at, file }) => [at, { import: `${file}.mjs`, default: `${file}.cjs` }] as const),
  );
  const files = all.flatMap(({ file, names }) => [
    textFile(`${name}/${file}.mjs`, moduleText(name, names, program)),
    textFile(
      `${name}/${file}.cjs`,
      `module.exports = require(${JSON.stringify(program)}).standIn(${JSON.stringify(name)});\n`,
    ),
  ]);
  return [textFile(`${name}/package.json`, JSON.stringify({ name, exports })), ...files];
}

function textFile(path: string, text: string): FileToPack {
  return { path, bytes: Buffer.from(text) };
}

function moduleText(name: string, names: readonly string[], program: string): string {
  return [
    "import { createRequire } from 'node:module';",
    `const { standIn } = createRequire(import.meta.url)(${JSON.stringify(program)});`,
    `const all = standIn(${JSON.stringify(name)});`,
    'export default all;',
    ...names.map((one, at) => `const n${at} = all[${JSON.stringify(one)}]; export { n${at} as ${one} };`),
    '',
  ].join('\n');
}

/** The names that code imports from a module, as esbuild writes it. Text that resembles an import adds names, which harms nothing. */
function importedNames(code: string, module: string): string[] {
  const names: string[] = [];
  for (const quoted of [`"${module}"`, `'${module}'`]) {
    for (let at = code.indexOf(quoted); at !== -1; at = code.indexOf(quoted, at + 1)) {
      const before = code.slice(Math.max(0, at - LONGEST_CLAUSE), at);
      const [, clause = ''] = /(?:\bimport|\bexport)([^;"']*?)\bfrom\s*$/.exec(before.slice(lastImport(before))) ?? [];
      names.push(...namesIn(clause), ...membersOf(code, clause));
    }
  }
  return names.filter((name) => name !== 'default');
}

/** Characters before the name of a module that are searched for `import`. */
const LONGEST_CLAUSE = 20_000;

function lastImport(text: string): number {
  return Math.max(text.lastIndexOf('import'), text.lastIndexOf('export'), 0);
}

/** `{ a, b as c }`: a and b. */
function namesIn(clause: string): string[] {
  const [, list = ''] = /\{([^}]*)\}/.exec(clause) ?? [];
  return list.split(',').flatMap((one) => new RegExp(`^\\s*(${IDENTIFIER})`, 'u').exec(one)?.[1] ?? []);
}

/** `* as all`: each member of it that the code uses. */
function membersOf(code: string, clause: string): string[] {
  const [, namespace] = new RegExp(`\\*\\s*as\\s+(${IDENTIFIER})`, 'u').exec(clause) ?? [];
  if (namespace === undefined) return [];
  const member = new RegExp(`(?<![\\w$]|[^.]\\.)${namespace.replaceAll('$', '\\$')}\\.(${IDENTIFIER})`, 'gu');
  return [...code.matchAll(member)].map(([, name = '']) => name);
}
