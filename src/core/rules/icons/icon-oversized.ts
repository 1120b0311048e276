import { message } from '../../text/message.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule, type Problem } from '../rule.ts';

const BYTES = 1_000_000;
/** 4096 by 4096: 64 MiB when decoded. */
const PIXELS = 2 ** 24;

const CAUSES = {
  bytes: { title: 'The file is too large' },
  pixels: { title: 'The image has too many pixels' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const iconOversized = defineRule({
  id: 'icon-oversized',
  title: 'Icon that is too large',
  on: 'icon',
  needs: ['content', 'image'],
  severity: 'warning',
  spec: '8',
  symptom: 'icon-does-not-display',
  owner: 'author',
  causes: CAUSES,
  failsWhen: 'the file has 1 MB (1,000,000 bytes) or more, or a PNG has more than 16.7 million pixels',
  why: 'Icons are loaded for every app that is listed; large ones make the list slow, and huge ones fill the memory of the browser.',
  examples: {
    bad: 'echo.png: PNG image data, 30000 x 30000',
    good: 'echo.png: PNG image data, 256 x 256',
  },
  check({ content, image }): readonly Problem<Cause>[] {
    const problems: Problem<Cause>[] = [];
    if (content.bytes >= BYTES) {
      problems.push({
        message: message`The icon has ${content.cut ? 'more than ' : ''}${content.bytes} bytes; less than 1 MB is recommended.`,
        advice: message`Scale it down (256 by 256 is enough) and run it through an optimizer (oxipng, svgo).`,
        cause: 'bytes',
        evidence: { bytes: content.bytes, limit: BYTES },
      });
    }
    const { kind, width, height } = image;
    if (kind === 'png' && width !== null && height !== null && width * height > PIXELS) {
      problems.push({
        message: message`The icon is a PNG of ${width} by ${height} pixels, which needs ${Math.round((width * height * 4) / 1e6)} MB when decoded.`,
        advice: message`Scale it down; 256 by 256 is enough.`,
        cause: 'pixels',
        evidence: { width, height },
      });
    }
    return problems;
  },
});
