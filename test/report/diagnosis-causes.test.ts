import { expect, test } from 'vitest';
import type { Finding } from '../../src/core/findings/report.ts';
import { causesOf } from '../../src/report/diagnosis-causes.ts';

function heldBack(version: string | null, evidence: Finding['evidence']): Finding {
  return {
    rule: 'service-policy',
    severity: 'warning',
    symptom: 'app-does-not-appear',
    spec: null,
    message: `The service holds back ${version ?? '2 versions'}.`,
    advice: 'Add the attestation.',
    cause: 'attestation',
    app: 'clock',
    version,
    resource: 'metadata',
    url: 'https://apps.example.com/clock/versions.json',
    file: null,
    pointer: null,
    line: null,
    column: null,
    evidence,
    excepted: null,
    baseline: false,
    unfixable: false,
    registry: '',
    fingerprint: '0123456789abcdef',
  };
}

test('further findings at the same place name their versions', () => {
  const findings = [
    heldBack('1.0.0', { rule: null, cause: null, heldSince: null, versions: ['1.0.0'] }),
    heldBack('1.1.0', { rule: 'attestation-invalid', cause: 'digest', heldSince: null, versions: ['1.1.0'] }),
    heldBack(null, { rule: 'attestation-invalid', cause: 'form', heldSince: null, versions: ['1.2.0', '1.3.0'] }),
  ];
  const { causes } = causesOf(findings, { verbose: false, whole: false });
  expect(causes).toHaveLength(1);
  expect(causes[0]!.also).toEqual([
    'clock 1.1.0 · versions 1.1.0 · rule attestation-invalid',
    'clock · versions 1.2.0, 1.3.0 · rule attestation-invalid',
  ]);
});
