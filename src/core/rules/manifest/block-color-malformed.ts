import { isColor } from '../../text/color.ts';
import { message } from '../../text/message.ts';
import { safeExcerpt } from '../../text/text.ts';
import { defineRule } from '../rule.ts';

export const blockColorMalformed = defineRule({
  id: 'block-color-malformed',
  title: 'Malformed color',
  on: 'app',
  needs: ['color'],
  severity: 'error',
  spec: '2.1',
  symptom: null,
  owner: 'author',
  fixable: true,
  failsWhen: '`blockStyle.color` is not of the form #RRGGBB',
  why: 'The service cannot draw the blocks of the app in that color.',
  examples: {
    bad: `"echo": {
  "name": "Echo",
  "description": "Repeats what it receives.",
  "blockStyle": { "iconUrl": "https://apps.example.com/echo.svg", "color": "blue" },
  "appMetadataUrl": "https://apps.example.com/echo.json"
}`,
    good: `"echo": {
  "name": "Echo",
  "description": "Repeats what it receives.",
  "blockStyle": { "iconUrl": "https://apps.example.com/echo.svg", "color": "#1a73e8" },
  "appMetadataUrl": "https://apps.example.com/echo.json"
}`,
  },
  check({ color }) {
    if (isColor(color)) return null;
    const meant = likelyColor(color);
    return {
      at: '/blockStyle/color',
      message: message`The color “${safeExcerpt(color, 40)}” is not of the form #RRGGBB.`,
      advice: meant
        ? message`Write it as "${meant}".`
        : message`Write it as # and six hexadecimal digits, for example "#1a73e8".`,
      evidence: { color },
    };
  },
});

function likelyColor(color: string): string | null {
  const digits = color.trim().replace(/^(#|0x)/i, '');
  if (isColor(`#${digits}`)) return `#${digits}`;
  if (/^[0-9a-f]{8}$/i.test(digits)) return `#${digits.slice(0, 6)}`;
  if (/^[0-9a-f]{3,4}$/i.test(digits)) return `#${digits.slice(0, 3).replace(/./g, '$&$&')}`;
  const rgb = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*(?:[,/].*)?\)$/.exec(color.trim());
  if (!rgb || rgb.slice(1).some((part) => Number(part) > 255)) return null;
  return `#${rgb
    .slice(1)
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('')}`;
}
