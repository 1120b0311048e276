import type { ImageFacts } from '../facts.ts';
import { defineRule, type Problem } from '../rule.ts';
import { shorten } from '../text.ts';

const SHOWN = 10;

export const iconSvgActive = defineRule({
  id: 'icon-svg-active',
  on: 'icon',
  needs: ['image'],
  severity: 'warning',
  spec: null,
  symptom: null,
  when: 'an SVG has scripts, event handlers, embedded HTML or a document type of its own, or refers to other files',
  why: 'As an image it neither runs scripts nor loads other files, so it looks different than meant; opened by itself, or put into a page, it does both.',
  check({ image }): readonly Problem[] {
    if (image.kind !== 'svg') return [];
    const foreign = image.active.filter((found) => found.code === 'foreign-reference');
    const active = image.active.filter((found) => found.code !== 'foreign-reference');
    const problems: Problem[] = [];
    if (active.length > 0) {
      problems.push({
        message: `The icon has active content: ${say(active)}.`,
        advice:
          'Remove it ("svgo" does with removeScripts): an icon needs shapes only, and cautious hosts refuse such files.',
        cause: active[0]!.code,
        evidence: { found: list(active) },
      });
    }
    if (foreign.length > 0) {
      problems.push({
        message: `The icon refers to other files, which browsers do not load for an image: ${say(foreign)}.`,
        advice: 'Put what it refers to into the file itself: shapes as paths, images as data: URLs, fonts as outlines.',
        cause: 'foreign-reference',
        symptom: 'icon-does-not-display',
        evidence: { found: list(foreign) },
      });
    }
    return problems;
  },
});

function say(found: ImageFacts['active']): string {
  const [first] = found;
  const more = found.length > 1 ? ` and ${found.length - 1} more` : '';
  return `${shorten(first!.name, 100)}${first!.line === null ? '' : ` in line ${first!.line}`}${more}`;
}

function list(found: ImageFacts['active']): string[] {
  return found
    .slice(0, SHOWN)
    .map(({ code, name, line }) => `${code}: ${shorten(name, 100)}${line === null ? '' : ` (line ${line})`}`);
}
