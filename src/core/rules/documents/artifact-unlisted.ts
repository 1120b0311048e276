import { message } from '../../text/message.ts';
import { safeExcerpt } from '../../text/text.ts';
import { defineRule } from '../rule.ts';

export const artifactUnlisted = defineRule({
  id: 'artifact-unlisted',
  title: 'Artifact that no version lists',
  on: 'workspace',
  needs: ['unlisted'],
  severity: 'note',
  spec: null,
  symptom: null,
  owner: 'author',
  failsWhen:
    '(workspace) a .tar.gz file is in the folder of an app’s artifacts, and no version in its metadata file lists it',
  why: 'It is left of a publication that was interrupted: no subscriber gets it, and other bytes cannot be published with its number.',
  examples: {
    bad: `artifactUrl: apps/echo/versions/1.0.0.tar.gz
in the folder:  apps/echo/versions/1.0.0.tar.gz
in the folder:  apps/echo/versions/1.1.0.tar.gz`,
    good: `artifactUrl: apps/echo/versions/1.0.0.tar.gz
in the folder:  apps/echo/versions/1.0.0.tar.gz`,
  },
  check({ unlisted }) {
    return unlisted.map((file) => ({
      file,
      message: message`No version lists the artifact ${safeExcerpt(file)}.`,
      advice: message`To list it, run appreg publish-version again with the same sources. Only its publisher may delete it: if appreg.lock.json does not have the version, and it is not being published now.`,
      evidence: { file },
    }));
  },
});
