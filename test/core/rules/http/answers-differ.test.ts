import { answersDiffer } from '../../../../src/core/rules/http/answers-differ.ts';
import { coming, copied, copy, following, refused, resource } from '../../../support/copies.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { probe } from '../../../support/probes.ts';

const other = copied({ same: false, coding: '' });
const same = probe();
const third = (letter: string) => copied({ same: false, decoded: { bytes: 1, sha256: letter, kind: 'json' } });

ruleTable(answersDiffer, {
  clean: [
    ['the same', resource({ browser: [copied()] })],
    ['nobody looked further', resource({ browser: [other] })],
    ['replaced before the probes', resource({ browser: [other], headerProbes: coming([other, other, other], []) })],
    [
      'replaced during the probes',
      resource({ browser: [other], headerProbes: coming([same, other, other], [other, other, other]) }),
    ],
    [
      'a status by turns: host-intermittent',
      resource({
        browser: [refused(404)],
        headerProbes: coming([same, refused(404), same], [same, refused(404), same]),
      }),
    ],
    ['refused', resource({ browser: [refused()], headerProbes: following(refused(), ['agent']) })],
  ],
  faulty: [
    [
      'by turns',
      resource({ browser: [other], headerProbes: coming([same, other, same], [other, same, same]) }),
      { cause: 'intermittent', message: 'SHA-256 aaaa' },
    ],
    [
      'once',
      resource({ browser: [other], headerProbes: coming([same, same, same], [same, same, same]) }),
      { cause: 'intermittent' },
    ],
    [
      'another one each time',
      resource({ browser: [other], headerProbes: coming([third('c'), third('d'), third('e')], []) }),
      { cause: 'each-time', severity: 'note' },
    ],
    ['by origin', resource({ browser: [other], headerProbes: following(other, ['origin']) }), { cause: 'origin' }],
    [
      'by compression',
      resource({ browser: [other], headerProbes: following(other, ['encoding']) }),
      { cause: 'encoding' },
    ],
    [
      'by several headers together',
      resource({
        browser: [other],
        headerProbes: following(other, ['agent']).map((one) => (one.sent.length === 1 ? { ...one, probe: same } : one)),
      }),
      { cause: 'browser' },
    ],
    ['by client', resource({ browser: [other], headerProbes: following(other, ['agent']) }), { cause: 'agent' }],
    [
      'a page for browsers',
      resource({
        browser: [{ ...other, copy: copy({ same: false, decoded: { bytes: 9, sha256: 'c', kind: 'html' } }) }],
        headerProbes: following(other, ['fetch-metadata']),
      }),
      { cause: 'fetch-metadata', message: '(html)' },
    ],
    [
      'by turns, met by the probes alone',
      resource({ browser: [same], headerProbes: coming([same, other, same], [other, same, same]) }),
      { cause: 'intermittent', dedupeKey: 'intermittent apps.example.com' },
    ],
  ],
});
