import { message, type SafeText } from '../../text/message.ts';
import type { LocalState } from '../../facts/facts.ts';
import { type ResourceKind, resourceName } from '../../facts/resource-kind.ts';
import { printableExcerpt } from '../../text/text.ts';
import { type CauseOf, type Causes } from '../cause.ts';
import { defineRule } from '../rule.ts';

const CAUSES = {
  missing: { title: 'The file does not exist' },
  'not-checked-out': { title: 'The file is not part of the sparse checkout', owner: 'user' },
  'not-a-file': { title: 'The path is not a regular file' },
  outside: { title: 'The path is a link to a target outside the workspace' },
} satisfies Causes;

const STATES: Record<LocalState, readonly [cause: CauseOf<typeof CAUSES>, is: string]> = {
  missing: ['missing', 'does not exist'],
  'not-checked-out': ['not-checked-out', 'is not checked out: git has it, but it is not part of this sparse checkout'],
  'dangling-link': ['missing', 'is a link to a file that does not exist'],
  'link-loop': ['not-a-file', 'is not a regular file: it is a symbolic link that forms a loop'],
  folder: ['not-a-file', 'is not a regular file: it is a folder'],
  'not-a-file': ['not-a-file', 'is not a regular file'],
  outside: ['outside', 'is a link to a target outside the workspace'],
};

export const fileMissing = defineRule({
  id: 'file-missing',
  title: 'Missing file',
  on: 'local-file',
  needs: ['resource', 'path', 'state'],
  severity: 'error',
  spec: '7',
  symptom: 'by-resource',
  owner: 'author',
  workspaceOnly: true,
  hidesApp: true,
  hiddenReason: 'Its metadata file is missing.',
  causes: CAUSES,
  failsWhen:
    '(workspace) the manifest, or a metadata file, an artifact or an icon whose URL is below the base URL, does not exist, is not a regular file, or is a link out of the workspace. An artifact that does not exist is an error only if another artifact of the app is in the workspace, and an icon only if another icon is: otherwise, they may be stored elsewhere, and the report says how many were not inspected. Files that git has and that are not part of a sparse checkout, or of which Git LFS fetched only the pointer, are not judged; without the manifest, that is an error',
  why: 'The host has nothing to serve at that URL.',
  examples: {
    bad: `appMetadataUrl: apps/echo.json
in the folder:  apps/other.json`,
    good: `appMetadataUrl: apps/echo.json
in the folder:  apps/echo.json`,
  },
  check({ resource, path, state }) {
    if (state === null) return null;
    const name = printableExcerpt(path, 200);
    const [cause, is] = STATES[state];
    return {
      cause,
      message: message`The ${resourceName(resource)} ${name} ${is}.`,
      advice: adviceFor(cause, resource),
      evidence: { file: name },
      // One file may be the icon of several apps.
      ...(resource === 'icon' ? { dedupeKey: path } : {}),
    };
  },
});

function adviceFor(cause: CauseOf<typeof CAUSES>, resource: ResourceKind): SafeText {
  if (cause === 'missing') return ADVICE_IF_MISSING[resource];
  if (cause === 'not-checked-out')
    return message`Check it out: git sparse-checkout add <folder>, or git sparse-checkout disable.`;
  return message`Replace it with a regular file.`;
}

const ADVICE_IF_MISSING: Record<ResourceKind, SafeText> = {
  manifest: message`Create it with appreg init, or restore it from version control.`,
  metadata: message`Create it (appreg add-app creates it with the app), or correct its URL.`,
  artifact: message`Restore the published file, or correct its URL. A new build is another file, which needs a version of its own.`,
  icon: message`Add the file (appreg edit-app <app> --icon <file>), or correct its URL.`,
};
