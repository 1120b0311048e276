import { appPage } from '../../src/ui/app.ts';
import { type VersionView } from '../../src/domain/apps.ts';
import { type Screen } from '../../src/ui/layout.ts';
import { events } from './log-views.ts';
import { app, HOSTILE_TEXTS, NOW, PROBLEMS, version } from './views.ts';

/** Screens of what authors say about their apps and versions. */

const RETIREMENT = {
  reason: 'security',
  message: 'It writes the tokens of its connections into the log.',
  use: '2.1.1',
  since: '2026-05-02',
} as const;

const LINKS = {
  homepage: 'https://acme.example.com/clock',
  source: 'https://github.com/acme/clock',
  licence: 'MIT',
  support: 'mailto:help@acme.example.com',
};

const NOTES = `## Added

- A dial for **each** zone, with \`code\` and a [link](https://example.com/).
  - A nested item.

## Fixed

1. It was late.

> A quote.

    const wide = '${'wide '.repeat(40)}';

${'unbroken'.repeat(40)}`;

const PAGE = {
  subscription: PROBLEMS,
  next: null,
  after: null,
  findings: { own: [], shared: [] },
  events: [],
  sameKey: [],
  now: NOW,
};

/** Claims that are as hostile as they can be. */
function hostileClaims(text: string): Partial<VersionView> {
  return {
    published: text,
    notes: `${text}\n\n# Title ${text}\n\n- [${text}](javascript:alert(1))\n\n> ![${text}](data:text/html,x) <${text}>\n\n    ${text}`,
    deprecated: { reason: 'security', message: text, use: text, since: text },
  };
}

export const ABOUT_SCREENS: Record<string, () => Screen> = {
  'about-retired': () =>
    appPage({
      ...PAGE,
      app: app({ deprecated: RETIREMENT, links: LINKS }),
      versions: [
        version({ published: '2026-04-01T09:00:00Z', notes: NOTES, deprecated: RETIREMENT }),
        version({
          version: '2.0.0',
          published: '2026-02-01T09:00:00Z',
          notes: NOTES,
          deprecated: { ...RETIREMENT, reason: 'superseded', use: null, since: null },
        }),
      ],
      events: events([
        { type: 'version-deprecated', app: 'clock', version: '2.1.0', data: RETIREMENT },
        { type: 'version-undeprecated', app: 'clock', version: '1.0.0', data: { reason: 'broken' } },
      ]),
    }),
  'about-hostile': () =>
    appPage({
      ...PAGE,
      app: app({
        deprecated: { reason: 'legal', message: HOSTILE_TEXTS[0]!, use: HOSTILE_TEXTS[3]!, since: null },
        links: {
          homepage: 'javascript:alert(1)',
          source: `https://example.com/${HOSTILE_TEXTS[0]!}`,
          licence: HOSTILE_TEXTS[4]!,
          support: `mailto:${HOSTILE_TEXTS[3]!}`,
        },
      }),
      versions: HOSTILE_TEXTS.map((text, i) => version({ version: `1.${i}.0`, ...hostileClaims(text) })),
    }),
};
