import { message } from '../../text/message.ts';
import { defineRule } from '../rule.ts';
import { NOT_ITS_URL, OTHER_SCHEME } from '../other-url.ts';

export const artifactSuffix = defineRule({
  id: 'artifact-suffix',
  title: 'Artifact URL that does not end in .tar.gz',
  on: 'url',
  needs: ['resource', 'parsed'],
  severity: 'warning',
  spec: '2.2',
  symptom: 'checksum-mismatch',
  owner: 'author',
  supersededBy: [OTHER_SCHEME, ...NOT_ITS_URL],
  failsWhen: 'the path of an artifact URL ends like another kind of file (.zip, .tar, .json …)',
  why: 'An artifact is a gzip-compressed tar archive; a different suffix usually means a different file.',
  examples: {
    bad: '"artifactUrl": "https://apps.example.com/echo/1.0.0.zip"',
    good: '"artifactUrl": "https://apps.example.com/echo/1.0.0.tar.gz"',
  },
  check({ resource, parsed }) {
    if (resource !== 'artifact' || parsed.pathname.endsWith('.tar.gz')) return null;
    const suffix = /\.(zip|tar|tar\.(bz2|xz|zst)|t?bz2|xz|zst|7z|rar|json|html?|js|ts|txt|png|svg)$/i.exec(
      parsed.pathname,
    )?.[0];
    if (!suffix) return null;
    return {
      message: message`The artifact URL ends in ${suffix}; artifacts are .tar.gz archives.`,
      advice: message`Bundle the app into a .tar.gz (appreg bundle) and list that file.`,
      evidence: { suffix },
    };
  },
});
