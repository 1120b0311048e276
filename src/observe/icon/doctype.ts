/** The DOCTYPE of an SVG, as far as drawing programs write one: entities whose values are plain text, and nothing else. */

export interface Doctype {
  /** Where it begins and ends. */
  start: number;
  end: number;
  /** Values by name. */
  entities: Readonly<Record<string, string>>;
}

const NAME = String.raw`[\p{L}_:][\p{L}\p{N}_:.-]*`;
const LITERAL = String.raw`"[^"]*"|'[^']*'`;
const PUBLIC_ID = String.raw`"[\w\s\-'()+,./:=?;!*#@$%]*"|'[\w\s\-()+,./:=?;!*#@$%]*'`;
/** A text of one line, without references and markup. */
const VALUE = String.raw`"[^"<&%\p{C}]*"|'[^'<&%\p{C}]*'`;

const BEFORE_ROOT = /\s+|<!--[^]*?-->|<\?[^]*?\?>/y;
const START = new RegExp(
  String.raw`<!DOCTYPE\s+${NAME}(?:\s+(?:SYSTEM\s+(?:${LITERAL})|PUBLIC\s+(${PUBLIC_ID})\s+(?:${LITERAL})))?\s*(\[\s*)?`,
  'uy',
);
const ENTITY = new RegExp(String.raw`<!ENTITY\s+(${NAME})\s+(${VALUE})\s*>\s*`, 'uy');
const END = /\]\s*>/y;
/** Browsers know the entities of HTML for these public identifiers. */
const HTML_ENTITIES = /XHTML|MathML/;
const PREDEFINED: ReadonlySet<string> = new Set(['amp', 'lt', 'gt', 'quot', 'apos']);
/** Characters that the references may expand to. */
const EXPANSION_LIMIT = 8 * 2 ** 20;

/**
 * Reads the DOCTYPE before the first element.
 * @returns null if the text has none; `unread` for other declarations, for those that are malformed, and for entities
 * that expand to a large text
 */
export function readDoctype(text: string): Doctype | 'unread' | null {
  let start = text.startsWith('\ufeff') ? 1 : 0;
  for (let found = matchAt(BEFORE_ROOT, text, start); found !== null; found = matchAt(BEFORE_ROOT, text, start))
    start += found[0].length;
  if (!text.startsWith('<!DOCTYPE', start)) return null;
  const [head, publicId = '', subset] = matchAt(START, text, start) ?? [];
  if (head === undefined || HTML_ENTITIES.test(publicId)) return 'unread';
  const entities: Record<string, string> = Object.create(null);
  let at = start + head.length;
  if (subset !== undefined)
    for (let found = matchAt(ENTITY, text, at); found !== null; found = matchAt(ENTITY, text, at)) {
      const [all, name = '', value = ''] = found;
      if (PREDEFINED.has(name)) return 'unread';
      // The first of several declarations applies.
      entities[name] ??= value.slice(1, -1);
      at += all.length;
    }
  const end = matchAt(subset === undefined ? />/y : END, text, at);
  return end === null || expandsTooFar(text, entities) ? 'unread' : { start, end: at + end[0].length, entities };
}

function expandsTooFar(text: string, entities: Readonly<Record<string, string>>): boolean {
  const longest = Math.max(0, ...Object.values(entities).map(({ length }) => length));
  return longest * (text.split('&').length - 1) > EXPANSION_LIMIT;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
