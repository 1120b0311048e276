import type { UrlParts } from '../../http/url.ts';
import { defineRule } from '../rule.ts';

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
    latest: { title: 'The URL names the latest release' },
    branch: { title: 'The URL names a branch' },
  },
  failsWhen: 'the content of an artifact URL can change: `latest`, a branch, a source archive that the host generates',
  why: 'Once its content changes, every subscriber gets a checksum mismatch.',
  examples: {
    bad: '"artifactUrl": "https://github.com/me/echo/archive/refs/heads/main.tar.gz"',
    good: '"artifactUrl": "https://github.com/me/echo/releases/download/v1.0.0/echo.tar.gz"',
  },
  check({ resource, url, parsed }) {
    if (resource !== 'artifact') return null;
    const cause = changingPart(parsed);
    if (!cause) return null;
    return {
      cause,
      message: `The content of this URL can change: ${MEANING[cause]}.`,
      advice:
        'Publish the archive at a separate URL for each version (a release asset, or your own host), and list that.',
      evidence: { url },
    };
  },
});

const MEANING = {
  'source-archive': 'the host generates the archive on request, and its bytes have changed before',
  latest: '“latest” is a different file after each release',
  branch: 'a branch is a different file after each commit',
};

function changingPart(url: UrlParts): keyof typeof MEANING | null {
  const { hostname } = url;
  const path = url.pathname;
  if (hostname === 'codeload.github.com' || (hostname === 'api.github.com' && /\/(tarball|zipball)(\/|$)/.test(path)))
    return 'source-archive';
  if (/^\/[^/]+\/[^/]+\/(archive|tarball|zipball)\//.test(path) && hostname === 'github.com') return 'source-archive';
  if (/\/-\/archive\//.test(path) || /\/repository\/archive(\.|$)/.test(path)) return 'source-archive';
  if (hostname === 'bitbucket.org' && /^\/[^/]+\/[^/]+\/get\//.test(path)) return 'source-archive';
  if (isLatest(path)) return 'latest';
  const ref = /^\/[^/]+\/[^/]+\/([^/]+)\//.exec(path)?.[1];
  if (hostname === 'raw.githubusercontent.com' && ref && !isFixedRef(ref)) return 'branch';
  const shown = /^\/[^/]+\/[^/]+\/(?:raw|blob)\/([^/]+)\//.exec(path)?.[1];
  if (hostname === 'github.com' && shown && !isFixedRef(shown)) return 'branch';
  if (/\/refs\/heads\//.test(path) || /\/-\/jobs\/artifacts\//.test(path)) return 'branch';
  if (/\/(raw|blob|-\/raw|src\/branch)\/(main|master|develop|trunk|HEAD)\//.test(path)) return 'branch';
  if (hostname === 'cdn.jsdelivr.net' && /^\/gh\/[^/]+\/[^/@]+(@(main|master|develop|HEAD))?\//.test(path))
    return 'branch';
  return null;
}

function isLatest(path: string): boolean {
  if (/\/releases\/latest\/|[-_.@/](latest|nightly|snapshot)(\.tar\.gz|\.tgz)$|@latest\//i.test(path)) return true;
  const word = /\/(latest|nightly|current|snapshot|edge|canary)(\/.*)?$/i.exec(path);
  // An app may have such a name: if a version follows it, the file belongs to that version.
  return word !== null && !/\d+\.\d+\.\d+/.test(word[2] ?? '');
}

/** A commit, or a tag that looks like a version: as immutable as a ref can be. */
function isFixedRef(ref: string): boolean {
  return /^[0-9a-f]{40}$/.test(ref) || /^v?\d+\.\d+/.test(ref) || /[-_@v]\d+\.\d+\.\d+/.test(ref) || ref === 'refs';
}
