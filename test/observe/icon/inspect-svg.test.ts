import { describe, expect, test } from 'vitest';
import { inspectImage } from '../../../src/observe/icon/inspect-image.ts';
import { NS, svg } from './image-fixture.ts';
import { expectWithin } from '../../support/timing.ts';

/** SVG icons. */

const look = (text: string) => inspectImage(Buffer.from(text));

describe('an SVG', () => {
  const ILLUSTRATOR =
    '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">';
  const SOUND: [string, string][] = [
    ['shapes', svg('<path d="M0 0h24v24H0z" fill="none"/>')],
    ['an XML declaration', `<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n${svg('')}`],
    ['comments in front and behind', `<!-- Generator: Adobe Illustrator --><!-- <html> -->\n${svg('')}\n<!-- end -->`],
    ['the DOCTYPE of drawing programs', `<?xml version="1.0"?>\n${ILLUSTRATOR}\n${svg('')}`],
    [
      'the DOCTYPE of SVG 1.0',
      `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 20010904//EN"\n "http://www.w3.org/TR/2001/REC-SVG-20010904/DTD/svg10.dtd">${svg('')}`,
    ],
    ['a bare DOCTYPE', `<!DOCTYPE svg>${svg('')}`],
    [
      'an empty internal subset',
      `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" [ ]>${svg('')}`,
    ],
    ['a prefix', '<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:path d="M0 0"/></s:svg>'],
    ['a byte order mark', `\ufeff${svg('')}`],
    [
      'references to itself',
      svg(
        '<defs><path id="a" d=""/></defs><use href="#a"/><use xlink:href="#a"/><rect fill="url(#g)" filter="url(\'#f\')" style="mask: url(&quot;#m&quot;)"/>',
      ),
    ],
    [
      'embedded images',
      svg('<image href="data:image/png;base64,AAAA"/><image xlink:href=" DATA:image/jpeg;base64,AAAA"/>'),
    ],
    [
      'a style sheet',
      svg(
        '<style>/* @import "x" url(http://x) */ .a{fill:url(#b)} @font-face{src:url(data:font/woff2;base64,AA)}</style>',
      ),
    ],
    ['a style sheet in CDATA', svg('<style><![CDATA[.a > .b{fill:#fff}]]></style>')],
    ['a link', svg('<a href="https://example.com"><path d=""/></a><a xlink:href="https://example.com"/>')],
    [
      'the data of Inkscape',
      svg(
        '<sodipodi:namedview inkscape:zoom="1" onload="x"/><metadata><rdf:RDF><cc:Work rdf:about=""><dc:type rdf:resource="http://purl.org/dc/dcmitype/StillImage"/><cc:license href="http://x.example"/></cc:Work></rdf:RDF></metadata><path inkscape:export-filename="/home/me/a.png" d=""/>',
        'xmlns:sodipodi="s" xmlns:inkscape="i" xmlns:rdf="r" xmlns:cc="c" xmlns:dc="d"',
      ),
    ],
    [
      'words that only look active',
      svg('<title>javascript: onload=alert(1) url(http://x)</title><desc>&lt;script&gt;</desc><text>on</text>'),
    ],
    ['attributes that begin with "on" in other names', svg('<path data-on="1" font-weight="bold" d=""/>')],
    ['animation', svg('<animate attributeName="href" values="#a;#b" to="#c" begin="a.click"/>')],
  ];

  test.each(SOUND)('is valid: %s', (_, text) => {
    expect(look(text)).toMatchObject({ kind: 'svg', fault: null, active: [] });
  });

  test.each(['utf-16le', 'utf-16be'] as const)('in %s is valid only with a byte order mark', (encoding) => {
    const little = Buffer.from(
      `<?xml version="1.0" encoding="UTF-16"?>${svg('<title>größe</title>', 'width="7"')}`,
      'utf16le',
    );
    const bytes = encoding === 'utf-16le' ? little : Buffer.from(little).swap16();
    const mark = Buffer.from(encoding === 'utf-16le' ? 'fffe' : 'feff', 'hex');
    expect(inspectImage(bytes)).toMatchObject({ kind: 'svg', width: 7, fault: { code: 'not-utf-8' } });
    expect(inspectImage(Buffer.concat([mark, bytes]))).toMatchObject({ kind: 'svg', width: 7, fault: null });
  });

  test('in ISO-8859-1 is read, and reported if it is not ASCII', () => {
    for (const [inside, fault] of [
      ['<title>größe</title>', { code: 'not-utf-8' }],
      ['<title>groesse</title>', null],
      ['<title>größe</title><g>', { code: 'syntax' }],
    ] as const) {
      const text = `<?xml version="1.0" encoding="iso-8859-1"?>${svg(inside)}`;
      expect(inspectImage(Buffer.from(text, 'latin1'))).toMatchObject({ kind: 'svg', fault });
    }
  });

  test.each([
    [
      'a namespace',
      '<!DOCTYPE svg [<!ENTITY ns "http://www.w3.org/2000/svg">]><svg xmlns="&ns;" width="3"/>',
      { width: 3 },
    ],
    ['a text', `<!DOCTYPE svg [<!ENTITY a 'x'>]>${svg('<text>&a;</text>', 'width="3"')}`, { width: 3 }],
    [
      'a link',
      `<!DOCTYPE svg [<!ENTITY a "javascript:x">]>${svg('<a href="&a;"/>')}`,
      { active: [{ code: 'doctype' }, { code: 'javascript-url' }] },
    ],
  ])('may have an entity for %s', (_, text, expected) => {
    const facts = look(text);
    expect(facts).toMatchObject({ kind: 'svg', fault: null, ...expected });
    expect(facts).not.toHaveProperty('unread');
  });

  test.each([
    ['markup in an entity', `<!DOCTYPE svg [<!ENTITY a "<script>1</script>">]>${svg('&a;')}`],
    ['declarations that are malformed', `<!DOCTYPE svg [garbage]>${svg('')}`],
    ['declarations before a root far away', `<!DOCTYPE x [<!ELEMENT x ANY>]><!--${'x'.repeat(600)}-->${svg('')}`],
    ['entities of HTML', `<!DOCTYPE svg PUBLIC "-//W3C//DTD XHTML 1.1//EN" "x">${svg('&nbsp;')}`],
    ['entities that expand to gigabytes', `<!DOCTYPE svg [<!ENTITY a "${'x'.repeat(1e6)}">]>${svg('&a;'.repeat(1e5))}`],
  ])('is not read with %s', (_, text) => {
    expect(look(text)).toEqual({ kind: 'svg', width: null, height: null, fault: null, unread: 'xml', active: [] });
  });

  test('is not confused with HTML and other XML that have declarations', () => {
    expect(look('<!DOCTYPE html [<!ENTITY a "<b>">]><html><svg/></html>')).toMatchObject({ kind: 'html' });
    expect(look('<?xml version="1.0"?><!DOCTYPE x [<!ELEMENT x ANY>]><x/>')).toMatchObject({ kind: 'xml' });
  });

  test.each<{ name: string; text: string | Buffer; code: string }>([
    { name: 'no namespace', text: '<svg width="1" height="1"><path d=""/></svg>', code: 'no-namespace' },
    { name: 'another namespace', text: '<svg xmlns="http://www.w3.org/2000/SVG"/>', code: 'wrong-namespace' },
    { name: 'an element that is not closed', text: `<svg ${NS}><g></svg>`, code: 'syntax' },
    { name: 'cut in the middle', text: svg('<path d="M0 0"/>').slice(0, -10), code: 'syntax' },
    { name: 'an entity of HTML', text: svg('<text>a&nbsp;b</text>'), code: 'syntax' },
    { name: 'an ampersand by itself', text: svg('<text>a & b</text>'), code: 'syntax' },
    { name: 'an attribute without quotes', text: `<svg ${NS} width=1/>`, code: 'syntax' },
    { name: 'an attribute twice', text: `<svg ${NS} width="1" width="2"/>`, code: 'syntax' },
    { name: 'a prefix that is not declared', text: `<svg ${NS}><use xlink:href="#a"/></svg>`, code: 'syntax' },
    { name: 'space in front of the XML declaration', text: ` <?xml version="1.0"?>${svg('')}`, code: 'syntax' },
    { name: 'two roots', text: `${svg('')}${svg('')}`, code: 'syntax' },
    {
      name: 'Latin-1 without a declaration',
      text: Buffer.from(svg('<title>größe</title>'), 'latin1'),
      code: 'encoding',
    },
    {
      name: 'Latin-1 declared as UTF-8',
      text: Buffer.from(`<?xml version="1.0" encoding="utf-8"?>${svg('ß')}`, 'latin1'),
      code: 'encoding',
    },
    {
      name: 'a namespace with a space in it',
      text: `<svg xmlns=" http://www.w3.org/2000/svg"/>`,
      code: 'wrong-namespace',
    },
    { name: 'deep nesting', text: `<svg ${NS}>${'<g>'.repeat(300)}`, code: 'too-complex' },
    {
      name: 'very many attributes',
      text: `<svg ${NS} ${Array.from({ length: 3000 }, (_, i) => `a${i}=""`).join(' ')}/>`,
      code: 'too-complex',
    },
    { name: 'very many bytes', text: svg(' '.repeat(5 * 2 ** 20)), code: 'not-read' },
  ])('has a fault: $name', ({ text, code }) => {
    expect(inspectImage(Buffer.from(text as string))).toMatchObject({ kind: 'svg', fault: { code } });
  });

  test('with invalid XML before its root is XML with a fault', () => {
    expect(look('<?xml version="1.0"?><!-- no end')).toMatchObject({ kind: 'xml', fault: { code: 'syntax' } });
  });

  test('has the line and column of a fault in a short message', () => {
    const { fault } = look(`<svg ${NS}>\n<${'g'.repeat(5000)}>\n</x></svg>`);
    expect(fault?.message).toMatch(/^3:/);
    expect(fault!.message.length).toBeLessThanOrEqual(300);
  });

  test.each<[string, string, string, string]>([
    ['a script', '\n<script>alert(1)</script>', 'script', 'script'],
    ['a script from elsewhere', '\n<script href="https://evil.example/x.js"/>', 'script', 'script'],
    ['a script of HTML', '\n<h:script xmlns:h="http://www.w3.org/1999/xhtml"/>', 'script', 'script'],
    ['an event handler', '\n<g onload="alert(1)"/>', 'event-handler', 'g onload'],
    ['a javascript link', '\n<a href="javascript:alert(1)"/>', 'javascript-url', 'a href'],
    ['a javascript link, disguised', '\n<a xlink:href=" java&#9;Script:alert(1)"/>', 'javascript-url', 'a xlink:href'],
    [
      'a javascript link by animation',
      '\n<animate attributeName="href" values="#a;javascript:alert(1)"/>',
      'javascript-url',
      'animate values',
    ],
    [
      'embedded HTML',
      '\n<foreignObject><p xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>',
      'foreign-object',
      'foreignObject',
    ],
    [
      'an image from elsewhere',
      '\n<image href="https://me:secret@cdn.example/a.png?token=1"/>',
      'foreign-reference',
      'image href: cdn.example',
    ],
    [
      'an image without scheme',
      '\n<image xlink:href="//cdn.example/a.png"/>',
      'foreign-reference',
      'image xlink:href: cdn.example',
    ],
    ['an image beside it', '\n<image href="a.png"/>', 'foreign-reference', 'image href: a relative path'],
    ['a local file', '\n<image href="file:///home/me/a.png"/>', 'foreign-reference', 'image href: file:'],
    ['a shape from elsewhere', '\n<use href="sprite.svg#a"/>', 'foreign-reference', 'use href: a relative path'],
    [
      'a pattern from elsewhere',
      '\n<rect fill="url(https://cdn.example/p.svg#a)"/>',
      'foreign-reference',
      'rect fill: cdn.example',
    ],
    [
      'a style attribute',
      '\n<rect style="fill: URL( \'//cdn.example/p\' )"/>',
      'foreign-reference',
      'rect style: cdn.example',
    ],
    [
      'a font from elsewhere',
      '\n<style>@font-face{src:url(https://fonts.example/f.woff2)}</style>',
      'foreign-reference',
      'style: fonts.example',
    ],
    [
      'a style sheet with an element in it',
      '\n<style><b/>a{b:url(//x.example/y)}</style>',
      'foreign-reference',
      'style: x.example',
    ],
    ['an import', '\n<style>@import "https://fonts.example/css";</style>', 'foreign-reference', 'style: fonts.example'],
    [
      'an import by URL',
      '\n<style>@import url(https://fonts.example/css);</style>',
      'foreign-reference',
      'style: fonts.example',
    ],
    [
      'an import, disguised',
      '\n<style>@\\69mport "https://fonts.example/css"</style>',
      'foreign-reference',
      'style: fonts.example',
    ],
    [
      'a style sheet in CDATA',
      '\n<style><![CDATA[a{b:url(//x.example/y)}]]></style>',
      'foreign-reference',
      'style: x.example',
    ],
    [
      'an image in HTML',
      '\n<h:img xmlns:h="http://www.w3.org/1999/xhtml" src="https://x.example/t.gif"/>',
      'foreign-reference',
      'img src: x.example',
    ],
  ])('has active content: %s', (_, inside, code, name) => {
    expect(look(svg(inside)).active[0]).toEqual({ code, name, line: 2 });
  });

  test.each<[string, string]>([
    ['a DOCTYPE from elsewhere', '<!DOCTYPE svg SYSTEM "http://evil.example/x.dtd">'],
    ['a DOCTYPE with declarations', '<!DOCTYPE svg [<!ENTITY a "x">]>'],
    ['a DOCTYPE behind many spaces', `<!DOCTYPE svg ${' '.repeat(5000)} SYSTEM "x">`],
  ])('has active content: %s', (_, doctype) => {
    expect(look(`${doctype}${svg('')}`)).toMatchObject({ fault: null, active: [{ code: 'doctype' }] });
  });

  test('has active content in a style sheet instruction', () => {
    const { active } = look(`<?xml-stylesheet type="text/css" href="https://x.example/a.css"?>${svg('')}`);
    expect(active).toEqual([{ code: 'foreign-reference', name: 'xml-stylesheet: x.example', line: 1 }]);
  });

  test('has at most a hundred entries of active content', () => {
    expect(look(svg('<script/>'.repeat(500))).active).toHaveLength(100);
  });

  test.each<{ attributes: string; width: number | null; height: number | null }>([
    { attributes: 'width="24" height="32.5"', width: 24, height: 32.5 },
    { attributes: 'width="24px" height="1in"', width: 24, height: 96 },
    { attributes: 'viewBox="0 0 48 36"', width: 48, height: 36 },
    { attributes: 'viewBox="0,0,48,36" width="100%"', width: 48, height: 36 },
    { attributes: 'viewBox="0 0 48 36" width="12"', width: 12, height: 36 },
    { attributes: 'width="10mm" height="10pt"', width: 37.795, height: 13.333 },
    { attributes: 'width="1em" height="auto"', width: null, height: null },
    { attributes: '', width: null, height: null },
    { attributes: 'viewBox="a b c d"', width: null, height: null },
    { attributes: 'width="0" height="1e2"', width: 0, height: 100 },
  ])('has the size of $attributes', ({ attributes, width, height }) => {
    expect(look(svg('', attributes))).toMatchObject({ width, height });
  });

  describe('that is hostile is inspected within a second', () => {
    const LAUGHS = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('');
    test.each<[string, string]>([
      ['a billion laughs', `<!DOCTYPE svg [<!ENTITY l0 "lol">${LAUGHS}]><svg ${NS}>&l9;</svg>`],
      ['elements without end', `<svg ${NS}>${'<a>'.repeat(1_000_000)}`],
      ['spaces in a DOCTYPE', `<!DOCTYPE svg ${' '.repeat(1_000_000)}x>${svg('')}`],
      ['comments that stay open in a style', svg(`<style>${'/*'.repeat(500_000)}</style>`)],
      ['URLs that stay open in a style', svg(`<style>${'url('.repeat(200_000)}</style>`)],
      ['a number without end', svg('', `width="${'1'.repeat(1_000_000)}"`)],
      ['brackets without end', '<'.repeat(1_000_000)],
    ])('%s', (_, text) => {
      expectWithin(1000, () => {
        look(text);
      });
    });
  });
});
