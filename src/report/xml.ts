import { printable } from '../core/text/text.ts';

/** XML 1.0 that contains untrusted text. */

/** An element of XML; texts in it are escaped. */
export interface XmlElement {
  name: string;
  /** In this order; null values are omitted. */
  attributes?: Record<string, string | number | null>;
  children?: readonly (XmlElement | string)[];
}

/** An XML document in UTF-8, with its declaration. */
export function xmlDocument(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xml(root)}`;
}

/** An element on its own lines, indented by two spaces per level; text content is not indented. */
function xml({ name, attributes = {}, children = [] }: XmlElement, indent = ''): string {
  const list = Object.entries(attributes).filter(([, value]) => value !== null);
  const head = `${indent}<${name}${list.map(([key, value]) => ` ${key}="${attribute(String(value))}"`).join('')}`;
  if (children.length === 0) return `${head}/>`;
  if (children.every((child) => typeof child === 'string')) return `${head}>${text(children.join(''))}</${name}>`;
  const inner = children.map((child) => (typeof child === 'string' ? text(child) : xml(child, `${indent}  `)));
  return [`${head}>`, ...inner, `${indent}</${name}>`].join('\n');
}

const ENTITIES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]);

function escapeCharacter(character: string): string {
  return ENTITIES.get(character) ?? character;
}

/** Escaping every `>` also covers `]]>`. */
function text(raw: string): string {
  return raw
    .split('\n')
    .map((line) => legal(printable(line)).replace(/[&<>]/g, escapeCharacter))
    .join('\n');
}

function attribute(raw: string): string {
  return legal(printable(raw)).replace(/[&<>"]/g, escapeCharacter);
}

/** Replaces what `printable` allows and XML does not: two noncharacters. */
function legal(shown: string): string {
  return shown.replace(/[\ufffe\uffff]/g, (c) => `\\u{${c.charCodeAt(0).toString(16)}}`);
}
