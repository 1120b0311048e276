/** SVG files at the limits of XML, with what Chromium shows of them, and the verdict; a test in a browser compares them. */

type SvgRow = [name: string, bytes: string | Buffer, shown: 'all' | 'refused', verdict: string];

const NS = 'xmlns="http://www.w3.org/2000/svg"';
const RECT = '<rect width="100%" height="100%"/>';
const svg = (inside = ''): string => `<svg ${NS} viewBox="0 0 8 8">${inside}${RECT}</svg>`;
const declared = (subset: string, inside = ''): string => `<!DOCTYPE svg [${subset}]>${svg(inside)}`;
const xhtml = (inside: string): string =>
  `<!DOCTYPE svg PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">${svg(inside)}`;
const encoded = (label: string): string => `<?xml version="1.0" encoding="${label}"?>${svg('<title>ß</title>')}`;

const SYNTAX = 'error svg-syntax';
const DOCTYPE = 'warning doctype';

export const SVG_SYNTAX: readonly SvgRow[] = [
  ['a control character in text', svg('<title>\u0001</title>'), 'refused', SYNTAX],
  ['NUL in text', svg('<title>\0</title>'), 'refused', SYNTAX],
  ['a control character in an attribute', svg('<g id="\u001b"/>'), 'refused', SYNTAX],
  ['a control character in a comment', svg('<!-- \u0001 -->'), 'refused', SYNTAX],
  ['a control character before the root', `\u0001${svg()}`, 'refused', SYNTAX],
  ['a control character behind the root', `${svg()}\u0001`, 'refused', SYNTAX],
  ['a control character in an entity', declared('<!ENTITY a "\u0001">'), 'refused', SYNTAX],
  ['a control character in a comment of the DOCTYPE', declared('<!-- \u0001 -->'), 'all', DOCTYPE],
  ['U+FFFE', svg('<title>\ufffe</title>'), 'refused', SYNTAX],

  ['the DOCTYPE of HTML', `<!DOCTYPE html>${svg()}`, 'all', DOCTYPE],
  ['the DOCTYPE of HTML, and a long comment', `<!DOCTYPE html><!--${'x'.repeat(900)}-->${svg()}`, 'all', DOCTYPE],
  ['the DOCTYPE of HTML in lower case', `<!doctype html>${svg()}`, 'refused', SYNTAX],
  ['an entity of XHTML', xhtml('<title>&nbsp;</title><g id="&eacute;"/>'), 'all', DOCTYPE],
  ['two byte order marks', `\ufeff\ufeff${svg()}`, 'all', ''],
  ['three byte order marks', `\ufeff\ufeff\ufeff${svg()}`, 'refused', SYNTAX],
  ['a byte order mark behind a space', ` \ufeff${svg()}`, 'refused', SYNTAX],
  ['much whitespace before the root', `${' '.repeat(3000)}${svg()}`, 'all', ''],
  ['a no-break space before the root', `\u00a0${svg()}`, 'refused', SYNTAX],

  ['an unknown encoding', encoded('x-none'), 'all', ''],
  ['another encoding', encoded('shift_jis'), 'all', ''],
  ['an encoding that is not a name', encoded('a b'), 'all', ''],
  ['an empty encoding', encoded(''), 'all', ''],
  ['half a character of UTF-16', Buffer.concat([Buffer.from(`\ufeff${svg()}`, 'utf16le'), Buffer.alloc(1)]), 'all', ''],
  ['a colon in the target of an instruction', `<?a:b c?>${svg()}`, 'all', ''],
  ['another prefix for a reserved namespace', svg('<g xmlns:a="http://www.w3.org/2000/xmlns/"/>'), 'all', ''],

  ['an unused parameter entity', declared('<!ENTITY % a "b">'), 'all', DOCTYPE],
  ['a parameter entity', declared(`<!ENTITY % a "<!ENTITY b 'c'>"> %a;`, '<title>&b;</title>'), 'all', DOCTYPE],
  ['a parameter entity in a declaration of another', declared('<!ENTITY % a "<!ENTITY b"> %a; "c">'), 'all', DOCTYPE],
  ['a parameter entity of another file', declared('<!ENTITY % a SYSTEM "b.dtd"> %a;'), 'all', DOCTYPE],
  ['an undeclared parameter entity', declared('%a;'), 'refused', SYNTAX],
  ['a parameter entity that is no declaration', declared('<!ENTITY % a "b"> %a;'), 'refused', SYNTAX],
  ['a recursive parameter entity', declared('<!ENTITY % a "&#37;a;"> %a;'), 'refused', 'error svg-entities'],
  ['references in a comment', declared('<!ENTITY a "(&a;)--">', '<!-- &a; &b; -->'), 'all', DOCTYPE],
  ['references in CDATA', declared('<!ENTITY a "]]>">', '<title><![CDATA[&a;&b;]]></title>'), 'all', DOCTYPE],
  ['a Unicode name', declared('<!ENTITY é "8">', '<title>&é;</title>'), 'all', DOCTYPE],
  ['a quote in an entity of an attribute', declared(`<!ENTITY a '"<'>`, '<g id="&a;"/>'), 'all', DOCTYPE],
  ['a character reference in an entity', declared('<!ENTITY a "&#60;g/>">', '&a;'), 'all', DOCTYPE],
  ['a reference instead of an attribute', declared(`<!ENTITY a "id='b'">`, '<g &a;/>'), 'refused', SYNTAX],
  ['a reference behind the root', `${declared('<!ENTITY a " ">')}&a;`, 'refused', SYNTAX],
  ['ten entities in one', declared(`<!ENTITY b "x"><!ENTITY a "${'&b;'.repeat(9)}">`, '<g>&a;&a;</g>'), 'all', DOCTYPE],
  [
    'eleven entities in one',
    declared(`<!ENTITY b "x"><!ENTITY a "${'&b;'.repeat(10)}">`, '&a;'),
    'refused',
    'error svg-entities',
  ],
  [
    '1500 entities',
    declared(Array.from({ length: 1500 }, (_, i) => `<!ENTITY a${i} "">`).join(''), '&a9;'),
    'all',
    DOCTYPE,
  ],
  [
    'a default namespace',
    `<!DOCTYPE svg [<!ATTLIST svg ${NS.replace('=', ' CDATA #FIXED ')}>]><svg viewBox="0 0 8 8">${RECT}</svg>`,
    'all',
    DOCTYPE,
  ],
  ['a default value with an undeclared prefix', declared('<!ATTLIST svg a:b CDATA "c">'), 'refused', SYNTAX],

  ['garbage in a DOCTYPE', declared('garbage'), 'refused', SYNTAX],
  ['a DOCTYPE with a text', `<!DOCTYPE svg foo>${svg()}`, 'refused', SYNTAX],
  ['a DOCTYPE without a name', `<!DOCTYPE>${svg()}`, 'refused', SYNTAX],
  [
    'a DOCTYPE without a system identifier',
    `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN">${svg()}`,
    'refused',
    SYNTAX,
  ],
  ['a system identifier without quotes', `<!DOCTYPE svg SYSTEM a.dtd>${svg()}`, 'refused', SYNTAX],
  ['an entity without quotes', declared('<!ENTITY a b>'), 'refused', SYNTAX],
  ['an entity with a per cent sign', declared('<!ENTITY a "100%">'), 'refused', SYNTAX],
  ['an entity with an invalid character reference', declared('<!ENTITY a "&#0;">'), 'refused', SYNTAX],
  ['declarations of elements and notations', declared('<!ELEMENT svg ANY><!NOTATION n SYSTEM "a">'), 'all', DOCTYPE],
  ['an unknown declaration', declared('<!FOO a>'), 'refused', SYNTAX],
];
