import type { SaxesAttributeNS, SaxesTagNS } from 'saxes';
import type { ImageFacts } from '../../core/facts/facts.ts';

/** Collects active or external content in an SVG: element and attribute names and hosts, never the code itself. */
export interface ActiveContent {
  readonly list: ImageFacts['active'];
  add(code: ImageFacts['active'][number]['code'], name: string, line: number): void;
  element(tag: SaxesTagNS, line: number): void;
  /** Text inside the current element: style sheets matter. */
  text(content: string): void;
  closed(): void;
  /** The pseudo-attributes of an xml-stylesheet instruction. */
  stylesheet(body: string, line: number): void;
}

export const SVG = 'http://www.w3.org/2000/svg';
const XHTML = 'http://www.w3.org/1999/xhtml';
const XLINK = 'http://www.w3.org/1999/xlink';
const LIST_LIMIT = 100;
const NAME_LIMIT = 120;
/** Attributes whose value becomes a URL, at once or when an animation sets it. */
const URL_ATTRIBUTES = new Set(['href', 'src', 'to', 'from', 'by', 'values', 'action', 'formaction', 'data']);

/**
 * True if browsers render an element that requires these extensions (SVG 2, section 5.8.3): they support HTML and
 * MathML. Drawing programs keep data in elements that require others.
 */
function isDrawn(extensions: string | undefined): boolean {
  const wanted = (extensions ?? '').split(/\s+/).filter((name) => name !== '');
  return wanted.every((name) => name.startsWith('http://www.w3.org/'));
}

export function collectActiveContent(): ActiveContent {
  const list: ImageFacts['active'] = [];
  let styleDepth = 0;
  let css = '';
  let cssLine = 1;

  function add(code: ImageFacts['active'][number]['code'], name: string, line: number): void {
    if (list.length < LIST_LIMIT) list.push({ code, name: name.slice(0, NAME_LIMIT), line });
  }

  function reference(where: string, value: string, line: number): void {
    const target = value.trim();
    if (target === '' || target.startsWith('#') || /^data:/i.test(target)) return;
    add('foreign-reference', `${where}: ${hostOf(target)}`, line);
  }

  function attribute(element: string, { name, local, uri, value }: SaxesAttributeNS, line: number): void {
    const where = `${element} ${name}`;
    if (uri === '' && /^on[a-z]/i.test(local)) return add('event-handler', where, line);
    if (URL_ATTRIBUTES.has(local) && (uri === '' || uri === XLINK) && isScriptUrl(value))
      return add('javascript-url', where, line);
    // A link is only followed on a click; everything else is loaded to render the image.
    const loads = (local === 'href' && (uri === '' || uri === XLINK)) || (local === 'src' && uri === '');
    if (loads && element !== 'a' && element !== 'script') return reference(where, value, line);
    if (uri === '' && /url\(/i.test(value)) for (const url of cssUrls(value)) reference(where, url, line);
  }

  return {
    list,
    add,
    element(tag, line) {
      if (styleDepth > 0) styleDepth += 1;
      // Drawing programs keep their own data in other namespaces; browsers ignore it.
      if (tag.uri !== SVG && tag.uri !== XHTML) return;
      const element = tag.local;
      if (element === 'script') add('script', element, line);
      if (element === 'foreignObject' && isDrawn(tag.attributes['requiredExtensions']?.value))
        add('foreign-object', element, line);
      if (element === 'style' && styleDepth === 0) {
        styleDepth = 1;
        css = '';
        cssLine = line;
      }
      for (const found of Object.values(tag.attributes)) attribute(element, found, line);
    },
    text(content) {
      if (styleDepth > 0) css += content;
    },
    closed() {
      if (styleDepth === 0) return;
      styleDepth -= 1;
      if (styleDepth === 0) for (const url of cssUrls(css)) reference('style', url, cssLine);
    },
    stylesheet(body, line) {
      const href = /\bhref\s{0,20}=\s{0,20}["']([^"']*)/.exec(body)?.[1];
      if (href !== undefined) reference('xml-stylesheet', href, line);
    },
  };
}

/** Browsers drop whitespace and control characters before and inside a scheme. */
function isScriptUrl(value: string): boolean {
  if (!/script/i.test(value) && !/[\t\n\r]/.test(value)) return false;
  return /(^|;)(java|vb)script:/i.test(value.replace(/[\u0000-\u0020]+/g, ''));
}

/** The URLs that a style sheet or a style attribute loads: `url(…)` and `@import`. */
function cssUrls(text: string): string[] {
  const css = withoutComments(text).replace(/\\(?:([0-9a-f]{1,6})\s?|([^\n]))/gi, (_, code?: string, plain = '') =>
    code === undefined ? plain : String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)),
  );
  const urls: string[] = [];
  for (const [, url = ''] of css.matchAll(/url\(\s*["']?([^"')]*)/gi)) urls.push(url);
  for (const [, url = ''] of css.matchAll(/@import\s*["']([^"']*)/gi)) urls.push(url);
  return urls;
}

/** Without a pattern, which would rescan the rest of the text for each unclosed comment. */
function withoutComments(css: string): string {
  let result = '';
  let at = 0;
  for (;;) {
    const start = css.indexOf('/*', at);
    if (start === -1) return result + css.slice(at);
    result += css.slice(at, start);
    const end = css.indexOf('*/', start + 2);
    if (end === -1) return result;
    at = end + 2;
  }
}

/** The host of a reference, without its path and query, which may contain secrets. */
function hostOf(target: string): string {
  const [, scheme, authority] = /^(?:([a-z][a-z0-9+.-]{0,20}):)?(?:\/\/([^/?#\\]{0,300}))?/i.exec(target) ?? [];
  if (authority) return authority.slice(authority.lastIndexOf('@') + 1);
  return scheme === undefined ? 'a relative path' : `${scheme.toLowerCase()}:`;
}
