import { answersDiffer } from '../../../../src/core/rules/http/answers-differ.ts';
import {
  probesInRounds,
  compressedCopy,
  copy,
  probesDifferingBy,
  refused,
  resourceFacts,
} from '../../../support/copies.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { probe } from '../../../support/probes.ts';

const differentCopy = compressedCopy({ same: false, coding: '' });
const sameAnswer = probe();
const copyWithDigest = (letter: string) =>
  compressedCopy({ same: false, decoded: { bytes: 1, sha256: letter, kind: 'json' } });

ruleTable(answersDiffer, {
  clean: [
    ['the same', resourceFacts({ browser: [compressedCopy()] })],
    ['no further requests', resourceFacts({ browser: [differentCopy] })],
    [
      'replaced before the probes',
      resourceFacts({
        browser: [differentCopy],
        headerProbes: probesInRounds([differentCopy, differentCopy, differentCopy], []),
      }),
    ],
    [
      'replaced during the probes',
      resourceFacts({
        browser: [differentCopy],
        headerProbes: probesInRounds(
          [sameAnswer, differentCopy, differentCopy],
          [differentCopy, differentCopy, differentCopy],
        ),
      }),
    ],
    [
      'a status by turns: host-intermittent',
      resourceFacts({
        browser: [refused(404)],
        headerProbes: probesInRounds([sameAnswer, refused(404), sameAnswer], [sameAnswer, refused(404), sameAnswer]),
      }),
    ],
    [
      'once: host-intermittent',
      resourceFacts({
        browser: [differentCopy],
        headerProbes: probesInRounds([sameAnswer, sameAnswer, sameAnswer], [sameAnswer, sameAnswer, sameAnswer]),
      }),
    ],
    ['refused', resourceFacts({ browser: [refused()], headerProbes: probesDifferingBy(refused(), ['agent']) })],
    [
      'a page for browsers: browser-refused',
      resourceFacts({
        browser: [{ ...differentCopy, copy: copy({ same: false, decoded: { bytes: 9, sha256: 'c', kind: 'html' } }) }],
        headerProbes: probesDifferingBy(differentCopy, ['fetch-metadata']),
      }),
    ],
    [
      'once: host-intermittent',
      resourceFacts({
        browser: [differentCopy],
        headerProbes: probesInRounds([sameAnswer, sameAnswer, sameAnswer], [sameAnswer, sameAnswer, sameAnswer]),
      }),
    ],
  ],
  faulty: [
    [
      'by turns',
      resourceFacts({
        browser: [differentCopy],
        headerProbes: probesInRounds([sameAnswer, differentCopy, sameAnswer], [differentCopy, sameAnswer, sameAnswer]),
      }),
      { cause: 'intermittent', message: 'SHA-256 aaaa' },
    ],
    [
      'another one each time',
      resourceFacts({
        browser: [differentCopy],
        headerProbes: probesInRounds([copyWithDigest('c'), copyWithDigest('d'), copyWithDigest('e')], []),
      }),
      { cause: 'each-time', severity: 'note' },
    ],
    [
      'by origin',
      resourceFacts({ browser: [differentCopy], headerProbes: probesDifferingBy(differentCopy, ['origin']) }),
      { cause: 'origin' },
    ],
    [
      'by compression',
      resourceFacts({ browser: [differentCopy], headerProbes: probesDifferingBy(differentCopy, ['encoding']) }),
      { cause: 'encoding' },
    ],
    [
      'by several headers together',
      resourceFacts({
        browser: [differentCopy],
        headerProbes: probesDifferingBy(differentCopy, ['agent']).map((one) =>
          one.sent.length === 1 ? { ...one, probe: sameAnswer } : one,
        ),
      }),
      { cause: 'browser' },
    ],
    [
      'by client',
      resourceFacts({ browser: [differentCopy], headerProbes: probesDifferingBy(differentCopy, ['agent']) }),
      { cause: 'agent' },
    ],
    [
      'another kind of file for browsers',
      resourceFacts({
        browser: [{ ...differentCopy, copy: copy({ same: false, decoded: { bytes: 9, sha256: 'c', kind: 'xml' } }) }],
        headerProbes: probesDifferingBy(differentCopy, ['fetch-metadata']),
      }),
      { cause: 'fetch-metadata', message: '(xml)' },
    ],
    [
      'by turns, met by the probes alone',
      resourceFacts({
        browser: [sameAnswer],
        headerProbes: probesInRounds([sameAnswer, differentCopy, sameAnswer], [differentCopy, sameAnswer, sameAnswer]),
      }),
      { cause: 'intermittent', dedupeKey: 'intermittent apps.example.com' },
    ],
  ],
});
