import { parseUrl } from '../core/http/url.ts';

/**
 * Replaces the base URL of a registry in every JSON string value that starts with it. Works on the text, so that
 * everything else is preserved byte for byte; `json` may hold each byte as one character (latin1).
 *
 * The base must end where a path segment ends: `https://a.example/reg` does not touch `https://a.example/registry2/`.
 * It is matched as written in `from` and in normalized form (host in lower case, no default port), with `/` or its
 * escape `\/`.
 */
export function rewriteBase(json: string, from: string, to: string): string {
  const pattern = patternOf(from);
  const target = to.replace(/\/+$/, '');
  let out = '';
  let done = 0;
  for (const match of json.matchAll(pattern)) {
    const end = match.index + match[0].length;
    if (isName(json, end)) continue;
    out += `${json.slice(done, match.index + 1)}${target}`;
    done = end;
  }
  return done === 0 ? json : out + json.slice(done);
}

/** A string's opening quote followed by the base, up to the end of a segment. */
function patternOf(base: string): RegExp {
  const spellings = new Set([base, parseUrl(base)?.href ?? base]);
  const patterns = [...spellings].map((spelling) => Array.from(spelling.replace(/\/+$/, ''), encodingsOf).join(''));
  return new RegExp(`"(?<!\\\\")(?:${patterns.join('|')})(?=["?#/]|\\\\/)`, 'g');
}

/** The possible encodings of a character in a JSON string (its UTF-8 bytes as latin1 characters). */
function encodingsOf(char: string): string {
  if (char === '/') return '\\\\?/';
  if (/[\w-]/.test(char)) return char;
  if (char <= '\u007f') return `\\${char}`;
  const units = Array.from({ length: char.length }, (_, i) => char.charCodeAt(i).toString(16).padStart(4, '0'));
  const lower = units.map((unit) => `\\\\u${unit}`).join('');
  const upper = units.map((unit) => `\\\\u${unit.toUpperCase()}`).join('');
  return `(?:${Buffer.from(char).toString('latin1')}|${lower}|${upper})`;
}

/** Whether the string that continues at `index` is a property name: names are not rewritten. */
function isName(json: string, index: number): boolean {
  let i = index;
  while (i < json.length && json[i] !== '"') i += json[i] === '\\' ? 2 : 1;
  i++;
  while (json[i] === ' ' || json[i] === '\n' || json[i] === '\r' || json[i] === '\t') i++;
  return json[i] === ':';
}
