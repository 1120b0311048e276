import { message } from '../../text/message.ts';
import { safeExcerpt } from '../../text/text.ts';
import { defineRule } from '../rule.ts';
import { changingPart } from './changing-part/changing-part.ts';

export const urlUnstable = defineRule({
  id: 'url-unstable',
  title: 'Artifact URL whose content can change',
  on: 'url',
  needs: ['resource', 'url', 'parsed'],
  severity: 'warning',
  spec: '2.4',
  symptom: 'checksum-mismatch',
  owner: 'author',
  causes: {
    'source-archive': { title: 'The host generates the archive for each request' },
    latest: { title: 'The URL names the latest release or build' },
    branch: { title: 'The URL names a branch' },
    range: { title: 'The URL names a range of versions' },
    unversioned: { title: 'The URL names a package without its version' },
  },
  failsWhen:
    'the content of an artifact URL can change: `latest`, a branch, a range of versions or none on a package CDN, a source archive that the host generates. A fixed version, commit or digest after `latest` or the branch is sufficient',
  why: 'Once its content changes, every subscriber gets a checksum mismatch.',
  examples: {
    bad: '"artifactUrl": "https://github.com/me/echo/archive/refs/heads/main.tar.gz"',
    good: '"artifactUrl": "https://github.com/me/echo/releases/download/v1.0.0/echo.tar.gz"',
  },
  check({ resource, url, parsed }) {
    if (resource !== 'artifact') return null;
    const found = changingPart(parsed);
    if (found === null) return null;
    const { cause, part } = found;
    return {
      cause,
      message: message`The content of this URL can change: “${safeExcerpt(part, 100)}” ${MEANING[cause]}.`,
      advice: message`Publish the archive at a separate URL for each version (a release asset, or your own host), and list that.`,
      evidence: { url },
    };
  },
});

const MEANING = {
  'source-archive':
    'is an archive that the host generates on request, and the bytes of such archives have changed before',
  latest: 'is a different file after each release or build',
  branch: 'is a branch, or follows one: a different file after each commit or build',
  range: 'is a range of versions: a different file after each version in it',
  unversioned: 'has no version, so the host serves the latest one',
};
