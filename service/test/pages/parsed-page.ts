import { type DefaultTreeAdapterTypes, parse } from 'parse5';

/** What the HTML of a page contains, as a browser parses it. */

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/** What the pages are made of. Nothing else may come from a text. */
const ELEMENTS = new Set(
  `html head meta base title link script noscript body a header nav main section div span p h1 h2 h3 h4 h5 h6 blockquote pre hr s ul ol li dl dt dd
   form fieldset legend label input textarea select option button table caption colgroup col thead tbody tr th td details summary
   time code bdi b i em strong img progress br svg path rect circle g use noscript`.split(/\s+/),
);
const ATTRIBUTES = new Set(
  `abbr action alt autocapitalize autocomplete autofocus checked class colspan content datetime defer dir disabled for
   formaction hidden height href http-equiv id inputmode lang loading max maxlength method min name open placeholder rel
   required role rows rowspan scope selected spellcheck src tabindex title type value width charset decoding novalidate
   viewbox viewBox fill d x y rx r cx cy focusable stroke stroke-width stroke-linecap stroke-linejoin opacity preserveAspectRatio xmlns`.split(
    /\s+/,
  ),
);
const URLS = new Set(['action', 'formaction', 'href', 'src', 'data-copy-url']);
/** Where links may lead, besides the service itself. */
const DOCUMENTATION = 'https://github.com/appreg/appreg/';
/** NUL and other control characters, and what reorders text; line breaks and tabs are those of the markup. */
// oxlint-disable-next-line no-control-regex
export const FORBIDDEN =
  /[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u;

export interface ParsedPage {
  /** The texts of elements and attributes. */
  text: string;
  /** What no page should contain. */
  faults: string[];
  forms: { action: string; method: string; fields: string[] }[];
}

/** @param url of the page */
export function parsePage(html: string, url: string): ParsedPage {
  const page: ParsedPage = { text: '', faults: [], forms: [] };
  // Without scripts, the content of noscript is parsed as well.
  const document = parse(html, { scriptingEnabled: false });
  walk(document, { page, base: new URL(url) });
  return page;
}

interface Walk {
  page: ParsedPage;
  base: URL;
}

function walk(node: Node, state: Walk): void {
  const { page } = state;
  if (node.nodeName === '#comment') page.faults.push('a comment');
  if ('value' in node && node.nodeName === '#text') addText(page, node.value, 'text');
  if ('tagName' in node) visit(node, state);
  if ('childNodes' in node) for (const child of node.childNodes) walk(child, state);
}

function addText(page: ParsedPage, text: string, where: string): void {
  page.text += `${text}\n`;
  const found = FORBIDDEN.exec(text);
  if (found !== null) page.faults.push(`${where}: U+${found[0].charCodeAt(0).toString(16)} in ${text.slice(0, 80)}`);
}

function visit(element: Element, { page, base }: Walk): void {
  const { tagName, attrs } = element;
  if (!ELEMENTS.has(tagName)) page.faults.push(`<${tagName}>`);
  const values = new Map(attrs.map(({ name, value }) => [name, value]));
  for (const [name, value] of values) {
    const isKnown = ATTRIBUTES.has(name) || /^(aria|data)-[a-z-]+$/.test(name);
    if (!isKnown) page.faults.push(`<${tagName} ${name}>`);
    if (URLS.has(name) && isOutside(tagName, values)) continue;
    if (URLS.has(name)) checkUrl(page, { tagName, name, value }, base);
    // A form repeats what was typed.
    else if (!(tagName === 'input' && name === 'value')) addText(page, value, `<${tagName} ${name}>`);
  }
  if (tagName === 'script' && !/^assets\/script\.js\?v=\w+$/.test(values.get('src') ?? ''))
    page.faults.push('a script');
  if (tagName === 'script' && element.childNodes.length > 0) page.faults.push('a script with text');
  if (tagName === 'meta' && values.get('http-equiv') !== undefined && !/^\d+$/.test(values.get('content') ?? ''))
    page.faults.push('a redirect');
  if (tagName === 'base') base.pathname = values.get('href') ?? '/';
  if (tagName === 'form')
    page.forms.push({
      action: new URL(values.get('action') ?? '', base.href).pathname,
      method: (values.get('method') ?? 'get').toUpperCase(),
      fields: fieldsOf(element),
    });
}

/** A link to the source of a version, or of its author, leads to another site, and tells it nothing. */
function isOutside(tagName: string, values: ReadonlyMap<string, string>): boolean {
  const [rel = '', href = ''] = [values.get('rel'), values.get('href')];
  if (tagName !== 'a') return false;
  if (rel === 'noreferrer noopener') return /^https:\/\/[\x21-\x7e]+$/.test(href);
  if (rel === 'nofollow noopener noreferrer') return /^(?:https?:\/\/|mailto:)[\x21-\x7e]+$/.test(href);
  return /^mailto:[\w.+-]+@[\w.-]+$/.test(href);
}

function checkUrl(page: ParsedPage, { tagName, name, value }: Record<string, string>, base: URL): void {
  const url = new URL(value!, base.href);
  if (url.origin !== base.origin && !url.href.startsWith(DOCUMENTATION))
    page.faults.push(`<${tagName} ${name}="${value}">`);
}

function fieldsOf(node: Node): string[] {
  const own = 'attrs' in node ? node.attrs.filter(({ name }) => name === 'name').map(({ value }) => value) : [];
  return 'childNodes' in node ? [...own, ...node.childNodes.flatMap(fieldsOf)] : own;
}
