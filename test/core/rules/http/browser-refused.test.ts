import { browserRefused } from '../../../../src/core/rules/http/browser-refused.ts';
import { coming, following, refused, resource } from '../../../support/copies.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { failed, ORIGIN, visit } from '../../../support/visits.ts';

const image = { ...refused(), origin: null };
const reset = { ...failed('headers', 'ECONNRESET'), origin: ORIGIN };

ruleTable(browserRefused, {
  clean: [
    ['answered', resource({ browser: [visit()], image: visit() })],
    ['nobody looked further', resource({ browser: [refused()] })],
    ['for its origin', resource({ browser: [refused()], headerProbes: following(refused(), ['origin']) })],
    ['for its compression', resource({ browser: [refused()], headerProbes: following(refused(), ['encoding']) })],
    [
      'now and then',
      resource({ browser: [refused()], headerProbes: coming([visit(), refused(), visit()], [visit(), visit()]) }),
    ],
  ],
  faulty: [
    [
      'resource isolation',
      resource({ browser: [refused()], headerProbes: following(refused(), ['fetch-metadata']) }),
      { cause: 'fetch-metadata', message: 'Sec-Fetch-Site: cross-site, Sec-Fetch-Mode: cors, Sec-Fetch-Dest: empty' },
    ],
    ['by name', resource({ browser: [refused()], headerProbes: following(refused(), ['agent']) }), { cause: 'agent' }],
    [
      'without an answer',
      resource({ browser: [reset], headerProbes: following(reset, ['fetch-metadata']) }),
      { cause: 'fetch-metadata', message: 'ECONNRESET' },
    ],
    [
      'a plain <img>',
      resource(
        { browser: [visit()], image, headerProbes: following(image, ['fetch-metadata'], 'image') },
        visit(),
        'icon',
      ),
      { cause: 'image-fetch-metadata', message: 'Sec-Fetch-Mode: no-cors, Sec-Fetch-Dest: image' },
    ],
    ...(['agent', 'encoding'] as const).map(
      (group) =>
        [
          `a plain <img> by ${group}`,
          resource({ browser: [visit()], image, headerProbes: following(image, [group], 'image') }, visit(), 'icon'),
          { cause: `image-${group}` },
        ] as const,
    ),
    [
      'a plain <img> of another site',
      resource({ browser: [visit()], image, headerProbes: following(image, ['origin'], 'image') }, visit(), 'icon'),
      { cause: 'image-origin', message: 'Referer' },
    ],
  ],
});
