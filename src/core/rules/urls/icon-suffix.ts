import { message } from '../../text/message.ts';
import { defineRule } from '../rule.ts';
import { NOT_ITS_URL, OTHER_SCHEME } from '../other-url.ts';

export const iconSuffix = defineRule({
  id: 'icon-suffix',
  title: 'Icon URL that does not end in .png or .svg',
  on: 'url',
  needs: ['resource', 'parsed'],
  severity: 'warning',
  spec: '2.1',
  symptom: 'icon-does-not-display',
  owner: 'author',
  supersededBy: [OTHER_SCHEME, ...NOT_ITS_URL],
  failsWhen: 'the path of an icon URL does not end in .png or .svg',
  why: 'Icons are PNG or SVG; hosts choose the content type by the suffix, and a wrong type is not displayed.',
  examples: {
    bad: '"iconUrl": "https://apps.example.com/echo.gif"',
    good: '"iconUrl": "https://apps.example.com/echo.png"',
  },
  check({ resource, parsed }) {
    if (resource !== 'icon' || /\.(png|svg)$/i.test(parsed.pathname)) return null;
    const suffix = /\.[A-Za-z0-9]{1,8}$/.exec(parsed.pathname)?.[0] ?? null;
    return {
      message: suffix
        ? message`The icon URL ends in ${suffix}; icons are PNG or SVG.`
        : message`The icon URL does not end in .png or .svg.`,
      advice: message`Rename the icon to end in .png or .svg, depending on its type.`,
      evidence: { suffix },
    };
  },
});
