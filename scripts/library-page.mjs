// docs/implementers/library-reference.md: each name of the doors of the three packages, by the sections of the door.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

// A CommonJS module of 9 MB: as an import, Node first searches its text for named exports, which takes a second.
/** @type {typeof import('typescript-5.9')} */
const ts = createRequire(import.meta.url)('typescript-5.9');

/** The doors: packages as they are imported, and the files that list their names. */
export const DOORS = [
  { name: 'appreg', file: 'src/core/index.ts' },
  { name: 'appreg/node', file: 'src/node.ts' },
  { name: 'appreg-service', file: 'service/src/index.ts' },
  { name: 'appreg-conformance', file: 'conformance/src/index.ts' },
];

/**
 * The names of a door, in its sections.
 * @param root of the repository
 * @param file the door
 * @returns {{ title: string, names: { name: string, kind: string, text: string, from: string }[] }[]} `text` is the
 *   first sentence of the docstring, or ''; `from` the file of the declaration
 */
export function sectionsOf(root, file) {
  const door = sourceFile(join(root, file));
  const sections = [];
  for (const statement of door.statements) {
    if (!ts.isExportDeclaration(statement)) continue;
    const title = titleBefore(door, statement);
    if (title !== null) sections.push({ title, names: [] });
    const from = join(dirname(door.fileName), statement.moduleSpecifier.text);
    const names = statement.exportClause
      ? statement.exportClause.elements.map((one) => [one.name.text, (one.propertyName ?? one.name).text])
      : exportedNames(from).map((name) => [name, name]);
    const found = names.map(([name, own]) => {
      const declaration = declarationOf(own, from);
      return {
        name,
        kind: kindOf(declaration),
        text: firstSentence(declaration),
        from: relative(root, declaration.getSourceFile().fileName),
      };
    });
    sections.at(-1)?.names.push(...found);
  }
  for (const section of sections) {
    const byName = new Map(section.names.map((one) => [one.name, one]));
    section.names = [...byName.values()].sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
  }
  return sections;
}

/** @returns the page as Markdown */
export function libraryPage(root) {
  const lines = [
    '# The names of the library',
    '',
    '<!-- Generated from the doors of the packages by `npm run docs`. Do not edit. -->',
    '',
    'Each name that a package exports, with the first sentence of its description; editors show the rest. [library.md](library.md) is the guide.',
  ];
  for (const { name, file } of DOORS) {
    lines.push('', `## ${name}`);
    for (const { title, names } of sectionsOf(root, file)) {
      lines.push('', `### ${title}`, '', '| name | kind | description |', '| --- | --- | --- |');
      for (const { name, kind, text } of names)
        lines.push(`| \`${name}\` | ${kind} | ${text.replaceAll('|', '\\|')} |`);
    }
  }
  return `${lines.join('\n')}\n`;
}

const parsed = new Map();

function sourceFile(path) {
  if (!parsed.has(path))
    parsed.set(path, ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true));
  return parsed.get(path);
}

/** The comment before the first export of a section, without its period; null for the other exports. */
function titleBefore(door, statement) {
  const comment = /(?:^|\n)\/\/ ([^\n]+)\n$/.exec(
    statement.getFullText(door).slice(0, statement.getLeadingTriviaWidth(door)),
  );
  return comment === null ? null : comment[1].replace(/\.$/, '');
}

function isExported(statement) {
  return (
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  );
}

/** The names that a statement declares, with the node of each. */
function declarationsIn(statement) {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map((one) => [one.name.text, one]);
  return statement.name ? [[statement.name.text, statement]] : [];
}

function exportedNames(path) {
  const names = sourceFile(path).statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      if (statement.exportClause) return statement.exportClause.elements.map(({ name }) => name.text);
      return exportedNames(join(dirname(path), statement.moduleSpecifier.text));
    }
    return isExported(statement) ? declarationsIn(statement).map(([name]) => name) : [];
  });
  return [...new Set(names)];
}

/** The declaration of a name that a file exports, also from another file. */
function declarationOf(name, path) {
  const file = sourceFile(path);
  for (const statement of file.statements) {
    if (ts.isExportDeclaration(statement) || ts.isImportDeclaration(statement)) {
      // A name of another package is described where it is exported.
      if (!statement.moduleSpecifier && statement.exportClause.elements.some((one) => one.name.text === name))
        return statement;
      if (!statement.moduleSpecifier?.text.startsWith('.')) continue;
      const from = join(dirname(path), statement.moduleSpecifier.text);
      const clause = ts.isExportDeclaration(statement) ? statement.exportClause : statement.importClause?.namedBindings;
      const one = clause?.elements?.find((element) => element.name.text === name);
      if (one) return declarationOf((one.propertyName ?? one.name).text, from);
      if (ts.isExportDeclaration(statement) && !clause && exportedNames(from).includes(name))
        return declarationOf(name, from);
      continue;
    }
    const found = declarationsIn(statement).find(([own]) => own === name);
    if (found) return found[1];
  }
  throw new Error(`${path} does not declare "${name}", which a door exports.`);
}

function kindOf(node) {
  if (ts.isFunctionDeclaration(node) || ts.isExportDeclaration(node)) return 'function';
  if (ts.isClassDeclaration(node)) return 'class';
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return 'type';
  const isFunction =
    node.initializer && (ts.isArrowFunction(node.initializer) || ts.isFunctionExpression(node.initializer));
  return isFunction ? 'function' : 'value';
}

/** The first sentence of a docstring, on one line. A comment before a blank line is about the file. */
function firstSentence(node) {
  const statement = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  const doc = ts.getJSDocCommentsAndTags(node).findLast(ts.isJSDoc);
  const text = statement.getSourceFile().text;
  if (doc === undefined || /\n\s*\n/.test(text.slice(doc.end, statement.getStart()))) return '';
  const [paragraph = ''] = (ts.getTextOfJSDocComment(doc.comment) ?? '').split(/\n\s*\n|\n(?=- )/);
  const line = paragraph.replace(/\s+/g, ' ').trim();
  return /^.*?\.(?= [A-Z`]|$)/.exec(line)?.[0] ?? line;
}
