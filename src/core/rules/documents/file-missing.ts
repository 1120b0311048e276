import { printableExcerpt } from '../../text/text.ts';
import { type ResourceKind, resourceName } from '../../facts/resource-kind.ts';
import { defineRule } from '../rule.ts';

export const fileMissing = defineRule({
  id: 'file-missing',
  title: 'Missing file',
  on: 'document',
  needs: ['facts', 'resource'],
  severity: 'error',
  spec: '7',
  symptom: 'by-resource',
  owner: 'author',
  workspaceOnly: true,
  hidesApp: true,
  hiddenReason: 'Its metadata file is missing.',
  causes: {
    missing: { title: 'The file does not exist' },
    'not-a-file': { title: 'The path is not a regular file' },
    outside: { title: 'The path is a link to a target outside the workspace' },
  },
  failsWhen:
    '(workspace) the manifest, or a metadata file whose URL is below the base URL, does not exist, is not a regular file, or is a link out of the workspace. Icons and artifacts may be stored elsewhere: the report says how many were not inspected',
  why: 'The host has nothing to serve at that URL.',
  examples: {
    bad: `appMetadataUrl: apps/echo.json
in the folder:  apps/other.json`,
    good: `appMetadataUrl: apps/echo.json
in the folder:  apps/echo.json`,
  },
  check({ facts, resource }) {
    const { local, file } = facts;
    if (!local) return null;
    const name = printableExcerpt(file ?? '', 200);
    const what = {
      missing: 'does not exist',
      'not-a-file': 'is not a regular file',
      outside: 'is a link to a target outside the workspace',
    }[local];
    return {
      cause: local,
      message: `The ${resourceName(resource)} ${name} ${what}.`,
      advice: local === 'missing' ? adviceIfMissing(resource) : 'Replace it with a regular file.',
      evidence: { file: name },
    };
  },
});

function adviceIfMissing(resource: ResourceKind): string {
  if (resource === 'manifest') return 'Create it with appreg init, or restore it from version control.';
  return 'Create it (appreg add-app creates it with the app), or correct its URL.';
}
