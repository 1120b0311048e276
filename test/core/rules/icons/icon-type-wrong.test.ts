import { iconTypeWrong } from '../../../../src/core/rules/icons/icon-type-wrong.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import { hop, probe, web } from '../../../support/probes.ts';

const facts = (kind: string, type: string | null, nosniff = false, origins: string[] = []) => ({
  ...served(type, nosniff),
  origins,
  image: { kind, width: 8, height: 8, fault: null, active: [] },
});

function served(type: string | null, nosniff: boolean) {
  const answer = probe(
    hop({
      ...(type === null ? {} : { 'content-type': type }),
      ...(nosniff ? { 'x-content-type-options': 'NoSniff' } : {}),
    }),
  );
  return { answer, web: web(answer) };
}

ruleTable(iconTypeWrong, {
  clean: [
    ['SVG', facts('svg', 'image/svg+xml')],
    ['SVG with a charset and nosniff', facts('svg', 'Image/SVG+XML; charset=utf-8', true)],
    ['PNG', facts('png', 'image/png', true)],
    ['no image at all, which icon-not-image reports', facts('html', 'text/html')],
  ],
  faulty: [
    ['SVG as text', facts('svg', 'text/plain', true), { cause: 'svg-type', advice: 'image/svg+xml' }],
    ['SVG as bytes', facts('svg', 'binary/octet-stream'), { cause: 'svg-type' }],
    ['SVG as XML', facts('svg', 'application/xml'), { cause: 'svg-type' }],
    ['SVG without a type', facts('svg', null), { cause: 'missing' }],
    ['PNG as bytes', facts('png', 'application/octet-stream'), { cause: 'png-type', severity: 'warning' }],
    ['PNG as JPEG', facts('png', 'image/jpeg', true), { cause: 'png-type', severity: 'warning' }],
    ['PNG without a type', facts('png', null), { cause: 'missing', severity: 'warning' }],
    ['PNG as bytes, with nosniff', facts('png', 'application/octet-stream', true), { severity: 'warning' }],
    ['PNG without a type, with nosniff', facts('png', null, true), { cause: 'missing', severity: 'warning' }],
    ['PNG as a page', facts('png', 'text/html'), { cause: 'png-type', severity: 'warning' }],
    ['PNG as a page, with nosniff', facts('png', 'text/html', true), { cause: 'png-nosniff', severity: 'error' }],
    ['PNG as text, with nosniff', facts('png', 'text/plain', true), { cause: 'png-nosniff', severity: 'error' }],
    ['PNG as JSON of a kind, with nosniff', facts('png', 'application/ld+json', true), { cause: 'png-nosniff' }],
    [
      'PNG as text, with nosniff, at the service’s own origin',
      facts('png', 'text/plain', true, ['https://apps.example.com']),
      { cause: 'png-type', severity: 'warning' },
    ],
    [
      'PNG as text, with nosniff, at the origin of one service of two',
      facts('png', 'text/plain', true, ['https://apps.example.com', 'https://svc.test']),
      { cause: 'png-nosniff', severity: 'error' },
    ],
    ['PNG as an archive', facts('png', 'application/gzip'), { cause: 'png-blocked', severity: 'error' }],
    ['PNG as a table', facts('png', 'text/csv'), { cause: 'png-blocked', severity: 'error' }],
    ['PNG as SVG', facts('png', 'image/svg+xml'), { cause: 'png-as-svg', severity: 'error', advice: 'image/png' }],
  ],
});
