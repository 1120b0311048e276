// Prints every user-visible text of the three packages with its position, to be read from top to bottom (`npm run messages [folder…]`):
// messages, advice, rule texts, help, prompts, service pages and generated guides. A text is a string or template
// literal with at least two words; `{…}` marks an inserted value.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

// A CommonJS module of 9 MB: as an import, Node first searches its text for named exports, which takes a second.
/** @type {typeof import('typescript-5.9')} */
const ts = createRequire(import.meta.url)('typescript-5.9');

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Two words in a row, which identifiers, selectors, media types and dates are not. */
const PROSE = /(^|[\s“"('’>])[A-Za-z][a-z’'-]*[a-z,:;.]? (?:[a-z“"({]|[A-Z][a-z])/;
/** Tags and properties whose texts are code. */
const CODE_TAGS = new Set(['sql', 'css']);

/** @returns {{ file: string, line: number, text: string }[]} @param folders relative to the project */
export function messages(folders = ['src', 'service/src', 'conformance/src']) {
  return folders.flatMap((folder) => sourcesIn(join(root, folder)).flatMap(messagesIn));
}

function sourcesIn(path) {
  if (path.endsWith('.ts')) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .sort()
    .map((file) => join(path, file));
}

function messagesIn(path) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const file = relative(root, path).replaceAll('\\', '/');
  const found = [];
  const probe = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isLiteralTypeNode(node)) return;
    if (ts.isTaggedTemplateExpression(node) && CODE_TAGS.has(node.tag.getText())) return;
    const text = textOf(node);
    if (text !== null) {
      if (PROSE.test(text)) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        found.push({ file, line: line + 1, text: text.replace(/\s+/g, ' ').trim() });
      }
      // Inserted values may contain texts of their own.
      if (!ts.isTemplateExpression(node)) return;
    }
    ts.forEachChild(node, probe);
  };
  probe(source);
  return found;
}

/** The text of a literal, with `{…}` for inserted values; null for other nodes. */
function textOf(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `{…}${literal.text}`).join('');
  return null;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folders = process.argv.slice(2);
  for (const { file, line, text } of messages(folders.length > 0 ? folders : undefined))
    console.log(`${file}:${line}: ${text}`);
}
