import { odditiesFor } from '../../registry/archive-oddity.ts';
import { counted } from '../../text/text.ts';
import { defineRule } from '../rule.ts';
import { artifactChecksumMismatch } from './artifact-checksum-mismatch.ts';

const ADVICE = 'Build the archive again and upload it as it is, as a new version if this one was published.';

export const artifactTrailingData = defineRule({
  id: 'artifact-trailing-data',
  on: 'artifact',
  needs: ['archive'],
  severity: 'warning',
  spec: '2.4',
  symptom: null,
  owner: 'author',
  supersededBy: [artifactChecksumMismatch],
  causes: {
    'bytes-after-end': { title: 'Bytes follow the end of the tar archive' },
    'entries-after-end': { title: 'Entries follow the end of the tar archive' },
    'zeros-after-gzip': { title: 'Zero bytes follow the gzip data' },
    'bytes-after-gzip': { title: 'Other bytes follow the gzip data' },
  },
  failsWhen:
    "bytes stand behind the archive's end; an error where readers would see other entries there, or refuse the file",
  why: 'Some readers ignore what is behind the end, some read on and some refuse the file, so subscribers get different results.',
  check({ archive }) {
    const found = odditiesFor('artifact-trailing-data', archive);
    const worst = found.find((oddity) => oddity.severity === 'error') ?? found[0];
    if (worst === undefined) return null;
    const evidence = { bytes: archive.trailing?.bytes ?? 0, layer: archive.trailing?.layer ?? null };
    const base = { severity: worst.severity, cause: worst.code, advice: ADVICE, evidence };
    switch (worst.code) {
      case 'entries-after-end':
        return {
          ...base,
          message:
            "The artifact holds further entries behind the archive's end mark: some readers see them, others do not.",
          advice: 'Two archives were probably joined. Build one archive that holds all files.',
        };
      case 'bytes-after-gzip':
        return {
          ...base,
          message: `Behind the archive, the file has ${counted(evidence.bytes, 'byte')} of data that is not gzip; strict readers refuse such a file.`,
        };
      case 'zeros-after-gzip':
        return {
          ...base,
          message: `Behind the gzip data, the file has ${counted(evidence.bytes, 'zero byte')}; most readers take that for padding.`,
        };
      default:
        return {
          ...base,
          message: `Behind the end mark of the tar archive, the file has ${counted(evidence.bytes, 'byte')}, which readers ignore.`,
        };
    }
  },
});
