import { message } from '../../text/message.ts';
import { safeExcerpt } from '../../text/text.ts';
import { defineRule } from '../rule.ts';

export const metadataOrphaned = defineRule({
  id: 'metadata-orphaned',
  title: 'Metadata file that no app uses',
  on: 'workspace',
  needs: ['orphans'],
  severity: 'note',
  spec: null,
  symptom: 'app-does-not-appear',
  owner: 'author',
  failsWhen: '(workspace) no app entry points to a metadata file',
  why: 'Its versions are not offered; often the app was lost when the manifest was generated.',
  examples: {
    bad: `appMetadataUrl: apps/echo.json
in the folder:  apps/echo.json
in the folder:  apps/other.json`,
    good: `appMetadataUrl: apps/echo.json
appMetadataUrl: apps/other.json
in the folder:  apps/echo.json
in the folder:  apps/other.json`,
  },
  check({ orphans }) {
    return orphans.map((file) => ({
      file,
      message: message`No app in the manifest points to ${safeExcerpt(file)}.`,
      advice: message`Add the app to the manifest (appreg add-app <key>), or correct its appMetadataUrl. Keep the file: published versions stay listed.`,
      evidence: { file },
    }));
  },
});
