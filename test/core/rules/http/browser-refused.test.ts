import { browserRefused } from '../../../../src/core/rules/http/browser-refused.ts';
import { copy, probesInRounds, probesDifferingBy, refused, resourceFacts } from '../../../support/copies.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { failed, ORIGIN, probe } from '../../../support/probes.ts';

const image = { ...refused(), origin: null };
const page = {
  ...probe(),
  origin: ORIGIN,
  copy: copy({ same: false, decoded: { bytes: 9, sha256: 'c', kind: 'html' } }),
};
const reset = { ...failed('headers', 'ECONNRESET'), origin: ORIGIN };

ruleTable(browserRefused, {
  clean: [
    ['answered', resourceFacts({ browser: [probe()], image: probe() })],
    ['no further requests', resourceFacts({ browser: [refused()] })],
    ['for its origin', resourceFacts({ browser: [refused()], headerProbes: probesDifferingBy(refused(), ['origin']) })],
    [
      'for its compression',
      resourceFacts({ browser: [refused()], headerProbes: probesDifferingBy(refused(), ['encoding']) }),
    ],
    [
      'a page for its compression: compressed-copy-differs',
      resourceFacts({ browser: [page], headerProbes: probesDifferingBy(page, ['encoding']) }),
    ],
    [
      'intermittently',
      resourceFacts({
        browser: [refused()],
        headerProbes: probesInRounds([probe(), refused(), probe()], [probe(), probe()]),
      }),
    ],
  ],
  faulty: [
    ...(['origin', 'fetch-metadata', 'agent'] as const).map(
      (group) =>
        [
          `a page because of ${group}`,
          resourceFacts({ browser: [page], headerProbes: probesDifferingBy(page, [group]) }),
          { cause: group, message: '200 and a web page' },
        ] as const,
    ),
    [
      'a page because of several headers together',
      resourceFacts({ browser: [page], headerProbes: probesInRounds([probe(), probe(), page], []) }),
      { cause: 'browser' },
    ],
    [
      'resource isolation',
      resourceFacts({ browser: [refused()], headerProbes: probesDifferingBy(refused(), ['fetch-metadata']) }),
      { cause: 'fetch-metadata', message: 'Sec-Fetch-Site: cross-site, Sec-Fetch-Mode: cors, Sec-Fetch-Dest: empty' },
    ],
    [
      'by name',
      resourceFacts({ browser: [refused()], headerProbes: probesDifferingBy(refused(), ['agent']) }),
      { cause: 'agent' },
    ],
    [
      'without an answer',
      resourceFacts({ browser: [reset], headerProbes: probesDifferingBy(reset, ['fetch-metadata']) }),
      { cause: 'fetch-metadata', message: 'ECONNRESET' },
    ],
    [
      'a plain <img>',
      resourceFacts(
        { browser: [probe()], image, headerProbes: probesDifferingBy(image, ['fetch-metadata'], 'image') },
        probe(),
        'icon',
      ),
      { cause: 'image-fetch-metadata', message: 'Sec-Fetch-Mode: no-cors, Sec-Fetch-Dest: image' },
    ],
    ...(['agent', 'encoding'] as const).map(
      (group) =>
        [
          `a plain <img> by ${group}`,
          resourceFacts(
            { browser: [probe()], image, headerProbes: probesDifferingBy(image, [group], 'image') },
            probe(),
            'icon',
          ),
          { cause: `image-${group}` },
        ] as const,
    ),
    [
      'a plain <img> of another site',
      resourceFacts(
        { browser: [probe()], image, headerProbes: probesDifferingBy(image, ['origin'], 'image') },
        probe(),
        'icon',
      ),
      { cause: 'image-origin', message: 'Referer' },
    ],
  ],
});
