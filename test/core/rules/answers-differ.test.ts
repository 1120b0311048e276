import { answersDiffer } from '../../../src/core/rules/answers-differ.ts';
import { coming, copied, copy, following, refused, resource } from '../../support/copies.ts';
import { ruleTable } from '../../support/rule-table.ts';
import { visit } from '../../support/visits.ts';

const other = copied({ same: false, coding: '' });
const same = visit();
const third = (letter: string) => copied({ same: false, decoded: { bytes: 1, sha256: letter, kind: 'json' } });

ruleTable(answersDiffer, {
  clean: [
    ['the same', resource({ browser: [copied()] })],
    ['nobody looked further', resource({ browser: [other] })],
    ['replaced before the probes', resource({ browser: [other], probes: coming([other, other, other], []) })],
    [
      'replaced during the probes',
      resource({ browser: [other], probes: coming([same, other, other], [other, other, other]) }),
    ],
    [
      'a status by turns: host-unsteady',
      resource({ browser: [refused(404)], probes: coming([same, refused(404), same], [same, refused(404), same]) }),
    ],
    ['refused', resource({ browser: [refused()], probes: following(refused(), ['agent']) })],
  ],
  faulty: [
    [
      'by turns',
      resource({ browser: [other], probes: coming([same, other, same], [other, same, same]) }),
      { cause: 'intermittent', message: 'SHA-256 aaaa' },
    ],
    [
      'once',
      resource({ browser: [other], probes: coming([same, same, same], [same, same, same]) }),
      { cause: 'intermittent' },
    ],
    [
      'another one each time',
      resource({ browser: [other], probes: coming([third('c'), third('d'), third('e')], []) }),
      { cause: 'each-time', severity: 'note' },
    ],
    ['by origin', resource({ browser: [other], probes: following(other, ['origin']) }), { cause: 'origin' }],
    ['by client', resource({ browser: [other], probes: following(other, ['agent']) }), { cause: 'agent' }],
    [
      'a page for browsers',
      resource({
        browser: [{ ...other, copy: copy({ same: false, decoded: { bytes: 9, sha256: 'c', kind: 'html' } }) }],
        probes: following(other, ['fetch-metadata']),
      }),
      { cause: 'fetch-metadata', message: '(html)' },
    ],
    [
      'by turns, met by the probes alone',
      resource({ browser: [same], probes: coming([same, other, same], [other, same, same]) }),
      { cause: 'intermittent', once: 'intermittent apps.example.com' },
    ],
  ],
});
