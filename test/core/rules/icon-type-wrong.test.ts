import { iconTypeWrong } from '../../../src/core/rules/icon-type-wrong.ts';
import { ruleTable } from '../../support/rule-table.ts';
import { hop, visit } from '../../support/visits.ts';

const facts = (kind: string, type: string | null, nosniff = false) => ({
  image: { kind, width: 8, height: 8, fault: null, active: [] },
  answer: visit(
    hop({
      ...(type === null ? {} : { 'content-type': type }),
      ...(nosniff ? { 'x-content-type-options': 'NoSniff' } : {}),
    }),
  ),
});

ruleTable(iconTypeWrong, {
  clean: [
    ['SVG', facts('svg', 'image/svg+xml')],
    ['SVG with a charset and nosniff', facts('svg', 'Image/SVG+XML; charset=utf-8', true)],
    ['PNG', facts('png', 'image/png', true)],
    ['no image at all, which icon-not-image tells', facts('html', 'text/html')],
  ],
  faulty: [
    ['SVG as text', facts('svg', 'text/plain', true), { cause: 'svg-type', advice: 'image/svg+xml' }],
    ['SVG as bytes', facts('svg', 'binary/octet-stream'), { cause: 'svg-type' }],
    ['SVG as XML', facts('svg', 'application/xml'), { cause: 'svg-type' }],
    ['SVG as nothing', facts('svg', null), { cause: 'missing' }],
    ['PNG as bytes', facts('png', 'application/octet-stream'), { cause: 'png-type', severity: 'warning' }],
    ['PNG as JPEG', facts('png', 'image/jpeg', true), { cause: 'png-type', severity: 'warning' }],
    ['PNG as nothing', facts('png', null), { cause: 'missing', severity: 'warning' }],
    [
      'PNG as bytes, with nosniff',
      facts('png', 'application/octet-stream', true),
      { cause: 'png-nosniff', severity: 'error' },
    ],
  ],
});
