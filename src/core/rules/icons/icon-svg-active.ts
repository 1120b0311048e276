import { message } from '../../text/message.ts';
import type { ImageFacts } from '../../facts/facts.ts';
import { shorten } from '../../text/text.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule, type Problem } from '../rule.ts';

const SHOWN = 10;

const CAUSES = {
  script: { title: 'The SVG has a script' },
  'event-handler': { title: 'The SVG has an event handler' },
  'javascript-url': { title: 'The SVG has a javascript: URL' },
  'foreign-object': { title: 'The SVG has embedded HTML' },
  'foreign-reference': { title: 'The SVG refers to another file' },
  doctype: { title: 'The SVG has a DOCTYPE with declarations' },
  'namespace-entities': { title: 'The DOCTYPE declares namespaces as entities' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;
type ActiveContent = ImageFacts['active'][number];

export const iconSvgActive = defineRule({
  id: 'icon-svg-active',
  title: 'SVG icon with active content',
  on: 'icon',
  needs: ['active'],
  severity: 'warning',
  spec: null,
  symptom: null,
  owner: 'author',
  causes: CAUSES,
  failsWhen:
    'an SVG has scripts, event handlers, embedded HTML or a DOCTYPE with declarations, or refers to other files; the DOCTYPE of drawing programs, which only declares namespaces, is a note',
  why: 'As an image it neither runs scripts nor loads other files, so it may look different; opened directly or inlined in a page, it does both.',
  examples: {
    bad: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><script>run()</script><path d="M0 0h24v24H0z"/></svg>',
    good: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M0 0h24v24H0z"/></svg>',
  },
  check({ active }): readonly Problem<Cause>[] {
    const byCode = new Map<Cause, [ActiveContent, ...ActiveContent[]]>();
    for (const one of active) {
      const same = byCode.get(one.code);
      if (same) same.push(one);
      else byCode.set(one.code, [one]);
    }
    return [...byCode.values()].map(problem);
  },
});

/** @param found content of one kind */
function problem(found: readonly [ActiveContent, ...ActiveContent[]]): Problem<Cause> {
  const [first] = found;
  const evidence = { found: list(found) };
  if (first.code === 'doctype' || first.code === 'namespace-entities') return ofDoctype(first, found);
  if (first.code === 'foreign-reference')
    return {
      message: message`The icon refers to other files, which browsers do not load for an image: ${named(first, found.length)}.`,
      advice: message`Embed these files: shapes as paths, images as data: URLs, fonts as outlines.`,
      cause: first.code,
      symptom: 'icon-does-not-display',
      evidence,
    };
  return {
    message: message`The icon has active content: ${named(first, found.length)}.`,
    advice: message`Remove it (${REMOVED_BY[first.code] ?? 'by hand'}): an icon needs only shapes, and some hosts reject such files.`,
    cause: first.code,
    evidence,
  };
}

/** Tools that remove active content, by its code. */
const REMOVED_BY: Readonly<Record<string, string>> = {
  script: 'the svgo plugin removeScripts does this',
  'event-handler': 'the svgo plugin removeScripts does this',
  'javascript-url': 'the svgo plugin removeScripts does this',
  'foreign-object': 'draw text and boxes as SVG elements instead of HTML',
};

/** Drawing programs write a DOCTYPE that only declares namespaces; any other defines content of the image. */
function ofDoctype({ code, line }: ActiveContent, found: readonly ActiveContent[]): Problem<Cause> {
  const where = line === null ? '' : ` (it ends on line ${line})`;
  const evidence = { found: list(found) };
  if (code === 'namespace-entities')
    return {
      severity: 'note',
      message: message`The icon has the DOCTYPE of a drawing program such as Adobe Illustrator, which declares namespaces as entities${where}. Browsers show the icon; tools that reject entities do not.`,
      advice: message`Export it for the web (in Illustrator: File > Export As > SVG, or Save As without “Preserve Illustrator Editing Capabilities”), or remove the DOCTYPE, as svgo does by default.`,
      cause: code,
      evidence,
    };
  return {
    message: message`The icon has a DOCTYPE with its own declarations${where}. Browsers support them; some hosts and tools reject the file.`,
    advice: message`Remove the DOCTYPE and write the values of its entities where they are used, as svgo does by default.`,
    cause: code,
    evidence,
  };
}

function named({ name, line }: ActiveContent, count: number): string {
  const more = count > 1 ? ` and ${count - 1} more` : '';
  return `${shorten(name, 100)}${line === null ? '' : ` on line ${line}`}${more}`;
}

function list(found: readonly ActiveContent[]): string[] {
  return found
    .slice(0, SHOWN)
    .map(({ code, name, line }) => `${code}: ${shorten(name, 100)}${line === null ? '' : ` (line ${line})`}`);
}
