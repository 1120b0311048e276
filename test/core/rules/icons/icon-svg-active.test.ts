import { iconSvgActive } from '../../../../src/core/rules/icons/icon-svg-active.ts';
import { seenIcon, SVG } from '../../../support/icons.ts';
import { PNG } from '../../../support/png-builder.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const svg = (inside: string) => seenIcon(`<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`);

ruleTable(iconSvgActive, {
  clean: [
    ['shapes', seenIcon(SVG)],
    ['a PNG', seenIcon(PNG)],
    ['references to itself', svg('<use href="#a"/><rect fill="url(#b)"/>')],
    ['embedded images', svg('<image href="data:image/png;base64,AA"/>')],
    ['a link', svg('<a href="https://example.com"/>')],
    [
      'data that a drawing program keeps in an element which browsers do not draw',
      svg('<switch><foreignObject requiredExtensions="http://ns.adobe.com/AdobeIllustrator/10.0/"/><g/></switch>'),
    ],
    ['HTML, which another rule reports', seenIcon('<html><script/></html>')],
  ],
  faulty: [
    [
      'a script',
      svg('\n<script>steal()</script>'),
      { cause: 'script', message: 'script on line 2.', evidence: { found: ['script: script (line 2)'] } },
    ],
    ['an event handler', svg('<g onload="x"/>'), { cause: 'event-handler', message: 'g onload' }],
    ['a javascript link', svg('<a href="javascript:x"/>'), { cause: 'javascript-url' }],
    ['embedded HTML', svg('<foreignObject/>'), { cause: 'foreign-object' }],
    [
      'embedded HTML that browsers draw where they support HTML',
      svg('<foreignObject requiredExtensions="http://www.w3.org/1999/xhtml"/>'),
      { cause: 'foreign-object' },
    ],
    [
      'embedded HTML whose extensions are an empty list',
      svg('<foreignObject requiredExtensions=" "/>'),
      { cause: 'foreign-object' },
    ],
    [
      'a script in the data of a drawing program',
      svg('<foreignObject requiredExtensions="http://ns.adobe.com/AdobeIllustrator/10.0/"><script/></foreignObject>'),
      { cause: 'script' },
    ],
    [
      'a file of Adobe Illustrator with its editing data: the DOCTYPE alone',
      seenIcon(
        `<!DOCTYPE svg [<!ENTITY ns_ai "http://ns.adobe.com/AdobeIllustrator/10.0/">]><svg xmlns="http://www.w3.org/2000/svg" xmlns:i="&ns_ai;"><switch><foreignObject requiredExtensions="&ns_ai;"><i:pgf/></foreignObject><g/></switch></svg>`,
      ),
      { cause: 'namespace-entities', severity: 'note' },
    ],
    ['an external document type', seenIcon(`<!DOCTYPE svg SYSTEM "x.dtd">${SVG}`), { cause: 'doctype' }],
    [
      'the DOCTYPE of Adobe Illustrator',
      seenIcon(
        `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" [\n\t<!ENTITY ns_extend "http://ns.adobe.com/Extensibility/1.0/">\n\t<!ENTITY ns_ai "http://ns.adobe.com/AdobeIllustrator/10.0/">\n]>${SVG}`,
      ),
      { cause: 'namespace-entities', severity: 'note', message: 'Illustrator', advice: 'svgo does by default' },
    ],
    [
      'a DOCTYPE with styles, as Illustrator 8 wrote it',
      seenIcon(`<!DOCTYPE svg [<!ENTITY st0 "fill:#fff;">]>${SVG}`),
      { cause: 'doctype', advice: 'Remove the DOCTYPE' },
    ],
    [
      'a script behind such a DOCTYPE: two findings',
      seenIcon(
        `<!DOCTYPE svg [<!ENTITY ns "http://www.w3.org/2000/svg">]><svg xmlns="&ns;"><script>a()</script></svg>`,
      ),
      [{ cause: 'namespace-entities' }, { cause: 'script' }],
    ],
    [
      'several kinds: a finding for each',
      svg('<script/><g onclick="a()"/><script/><image href="https://a.test/b"/>'),
      [
        { cause: 'script', message: 'script on line 1 and 1 more' },
        { cause: 'event-handler' },
        { cause: 'foreign-reference' },
      ],
    ],
    [
      'an image from elsewhere',
      svg('<image href="https://cdn.example/a.png?key=secret"/>'),
      { cause: 'foreign-reference', symptom: 'icon-does-not-display', message: 'image href: cdn.example on line 1.' },
    ],
    [
      'both: two findings',
      svg('<script/><script/><use href="x.svg#a"/>'),
      [{ cause: 'script', message: 'and 1 more' }, { cause: 'foreign-reference' }],
    ],
  ],
});
