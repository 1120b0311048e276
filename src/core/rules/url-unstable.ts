import { defineRule } from '../rule.ts';

export const urlUnstable = defineRule({
  id: 'url-unstable',
  on: 'url',
  needs: ['role', 'url', 'parsed'],
  severity: 'warning',
  spec: '2.4',
  symptom: 'checksum-mismatch',
  when: "an artifact URL names something whose bytes move: `latest`, a branch, a source archive that the host generates",
  why: 'Once the bytes behind it change, every subscriber sees a checksum mismatch.',
  check({ role, url, parsed }) {
    if (role !== 'artifact') return null;
    const cause = movingPart(parsed);
    if (!cause) return null;
    return { cause, message: `The bytes behind this URL move: ${MEANING[cause]}.`, advice: 'Publish the archive under a URL of its own per version (a release asset, or your own host), and list that.', evidence: { url } };
  },
});

const MEANING = {
  'source-archive': 'the host makes the archive anew on request, and has changed its bytes before',
  latest: '“latest” means another file after each release',
  branch: 'a branch means another file after each commit',
};

function movingPart(url: URL): keyof typeof MEANING | null {
  const { hostname } = url;
  const path = url.pathname;
  if (hostname === 'codeload.github.com' || (hostname === 'api.github.com' && /\/(tarball|zipball)(\/|$)/.test(path))) return 'source-archive';
  if (/^\/[^/]+\/[^/]+\/(archive|tarball|zipball)\//.test(path) && hostname === 'github.com') return 'source-archive';
  if (/\/-\/archive\//.test(path) || /\/repository\/archive(\.|$)/.test(path)) return 'source-archive';
  if (hostname === 'bitbucket.org' && /^\/[^/]+\/[^/]+\/get\//.test(path)) return 'source-archive';
  if (/(^|\/)(latest|nightly|current|snapshot|edge|canary)(\/|$)/i.test(path) || /[-_.@](latest|nightly|snapshot)(\.tar\.gz|\.tgz)$/i.test(path) || /\/(latest|nightly)(\.tar\.gz|\.tgz)$/i.test(path)) return 'latest';
  const raw = /^\/[^/]+\/[^/]+\/(?:raw\/)?(?:refs\/heads\/)?([^/]+)\//.exec(path);
  if (hostname === 'raw.githubusercontent.com' && raw && !isFixedRef(raw[1]!, path)) return 'branch';
  if (/\/refs\/heads\//.test(path)) return 'branch';
  if (/\/(raw|blob|-\/raw|src\/branch)\/(main|master|develop|trunk|HEAD)\//.test(path)) return 'branch';
  return null;
}

/** A commit, or a tag that looks like a version: as fixed as a ref can be. */
function isFixedRef(ref: string, path: string): boolean {
  return /^[0-9a-f]{40}$/.test(ref) || /^v?\d+\.\d+/.test(ref) || path.includes('/refs/tags/') || ref === 'refs';
}
