import { describe, expect, test } from 'vitest';
import { urlUnstable } from '../../../../src/core/rules/urls/url-unstable.ts';
import { urlFacts } from '../../../support/core-facts.ts';
import { expectWithin } from '../../../support/timing.ts';

/** URLs of hosts of code and packages, and names that only resemble a channel. */

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const SHA256 = `${COMMIT}0123456789abcdef01234567`;
const npm = 'https://cdn.jsdelivr.net/npm';

const CLEAN = [
  // Names that are words for channels.
  'https://github.com/acme/edge/releases/download/v1.2/app.tar.gz',
  'https://github.com/latest/nightly/releases/download/v1.2.0/app.tar.gz',
  'https://github.com/acme/current/releases/download/clock-1/app.tar.gz',
  'https://gitlab.com/nightly/edge/-/releases/v1.2/downloads/app.tar.gz',
  'https://codeberg.org/edge/current/releases/download/1.2/app.tar.gz',
  'https://acme.github.io/edge/app.tar.gz',
  'https://acme.gitlab.io/current/clock/app.tar.gz',
  'https://latest.example.com/app.tar.gz',
  'https://edge.example.com/echo/app.tar.gz',
  'https://s3.eu-west-1.amazonaws.com/latest/echo/app.tar.gz',
  'https://storage.googleapis.com/nightly/echo.tar.gz',
  'https://apps.example.com/apps/latest/app.tar.gz',
  'https://apps.example.com/apps/latest/versions/1.0.0.tar.gz',
  'https://apps.example.com/apps/stable/1.0.tar.gz',
  'https://apps.example.com/packages/edge/1.0/app.tar.gz',
  'https://apps.example.com/users/current/echo.tar.gz',
  'https://apps.example.com/nightly-tool/app.tar.gz',
  'https://apps.example.com/nightly-tool.tar.gz',
  'https://apps.example.com/latest-news/latest-news.tar.gz',
  'https://apps.example.com/microsoft-edge.tar.gz',
  'https://registry.npmjs.org/latest/-/latest-1.0.0.tgz',
  'https://registry.npmjs.org/@latest/edge/-/edge-1.0.0.tgz',
  `https://apps.example.com/snapshot/${COMMIT}/app.tar.gz`,
  `https://apps.example.com/snapshot/${SHA256}.tar.gz`,
  'https://apps.example.com/latest/sha256/9d5ed678fe57bcca610140957afab571/app.tar.gz',
  'https://apps.example.com/latest/0f8fad5b-d9cb-469f-a165-70867728950e/app.tar.gz',
  'https://apps.example.com/nightly/2026-01-15/app.tar.gz',
  'https://apps.example.com/nightly/app-20260115.tar.gz',
  'https://apps.example.com/latest/v1.2/app.tar.gz',
  'https://apps.example.com/latest/app-1.2.tar.gz',
  'https://apps.example.com/stable/app_1.2.3_linux.tar.gz',
  'https://apps.example.com/main/app.tar.gz',
  'https://apps.example.com/archive/1.0.0/app.tar.gz',
  'https://apps.example.com/apps/echo/archive/1.0.0.tar.gz',
  // Code hosts: a tag, a commit, a release.
  'https://git.example.com/o/r/raw/tag/v1.0.0/app.tar.gz',
  `https://git.example.com/o/r/raw/commit/${COMMIT}/app.tar.gz`,
  'https://codeberg.org/o/r/releases/download/v1.0.0/app.tar.gz',
  'https://codeberg.org/api/packages/o/generic/edge/1.0.0/app.tar.gz',
  `https://gitlab.com/g/sub/r/-/raw/${COMMIT}/app.tar.gz`,
  'https://gitlab.com/g/sub/r/-/raw/v1.0.0/app.tar.gz',
  'https://gitlab.com/g/r/-/jobs/123/artifacts/raw/app.tar.gz',
  'https://gitlab.com/g/r/-/package_files/123/download',
  'https://gitlab.com/api/v4/projects/1/repository/files/app.tar.gz/raw?ref=v1.0.0',
  `https://bitbucket.org/o/r/raw/${COMMIT}/app.tar.gz`,
  'https://bitbucket.org/o/r/raw/0123abc/app.tar.gz',
  'https://bitbucket.org/o/r/downloads/app.tar.gz',
  `https://raw.githubusercontent.com/o/r/${COMMIT}/latest/app.tar.gz`,
  'https://raw.githubusercontent.com/o/r/main/apps/echo/1.0.0.tar.gz',
  'https://raw.githubusercontent.com/o/r/refs/tags/v1/app.tar.gz',
  `https://gist.githubusercontent.com/o/0123456789abcdef/raw/${COMMIT}/app.tar.gz`,
  `https://api.github.com/repos/o/r/contents/app.tar.gz?ref=${COMMIT}`,
  'https://api.github.com/repos/o/latest/releases/assets/123456',
  'https://git.sr.ht/~o/r/refs/download/v1.0.0/app.tar.gz',
  'https://sourceforge.net/projects/latest/files/1.0.0/app.tar.gz/download',
  'https://o.codeberg.page/edge/app.tar.gz',
  'https://huggingface.co/o/r/resolve/v1.0.0/app.tar.gz',
  // Packages.
  `${npm}/app@1.0.0/app.tar.gz`,
  `${npm}/@scope/app@1.0.0-beta.1/app.tar.gz`,
  `https://cdn.jsdelivr.net/gh/o/r@${COMMIT}/app.tar.gz`,
  'https://cdn.jsdelivr.net/gh/o/r@v1.0.0/app.tar.gz',
  'https://unpkg.com/app@1.0.0/app.tar.gz',
  'https://unpkg.com/@latest/edge@1.0.0/app.tar.gz',
  'https://esm.sh/app@1.0.0/app.tar.gz',
  'https://esm.sh/v135/app@1.0.0/app.tar.gz',
  'https://cdn.skypack.dev/-/app@v1.0.0-abcdef/app.tar.gz',
  'https://cdnjs.cloudflare.com/ajax/libs/edge/1.0.0/app.tar.gz',
  'https://nexus.example.com/repository/raw/app/1.0.0/app-1.0.0.tar.gz',
  'https://nexus.example.com/repository/snapshots/app/1.0.0-SNAPSHOT/app-1.0.0-20260115.120000-1.tar.gz',
  'https://nexus.example.com/service/rest/v1/search/assets/download?version=1.0.0&name=app',
  `https://registry.example.com/v2/latest/blobs/sha256:${SHA256}`,
  'https://registry.example.com/v2/app/manifests/1.0.0',
  // Storage, and queries that say nothing about the bytes.
  'https://bucket.s3.amazonaws.com/echo/app.tar.gz',
  'https://bucket.s3.amazonaws.com/latest.tar.gz?versionId=3sL4kqtJlcpXroDTDmJ.rmSpXd3dIbrHY',
  'https://storage.googleapis.com/bucket/latest.tar.gz?generation=1700000000000000',
  'https://account.blob.core.windows.net/c/latest/app.tar.gz?snapshot=2024-01-01T00:00:00.0000000Z',
  'https://ci.example.com/job/app/42/artifact/app.tar.gz',
  'https://apps.example.com/app.tar.gz?version=1.0.0',
  'https://apps.example.com/app.tar.gz?v=3',
  'https://apps.example.com/app.tar.gz?ref=v1.0.0',
  'https://apps.example.com/app-1.0.0.tar.gz?ref=main',
  'https://apps.example.com/app.tar.gz?sv=2022-11-02&sig=latest',
  'https://apps.example.com/%E0%A4%A/app.tar.gz',
];

const FAULTY: readonly [url: string, cause: string, part: string][] = [
  ['https://ci.example.com/job/app/lastSuccessfulBuild/artifact/app.tar.gz', 'latest', 'lastSuccessfulBuild'],
  ['https://tc.example.com/repository/download/App_Build/.lastSuccessful/app.tar.gz', 'latest', '.lastSuccessful'],
  // Gitea and Forgejo, on any host.
  ['https://git.example.com/o/r/raw/branch/dev/app.tar.gz', 'branch', 'raw/branch/dev'],
  ['https://code.example.com/o/r/raw/branch/v1.0/app.tar.gz', 'branch', 'raw/branch/v1.0'],
  ['https://code.example.com/o/r/media/branch/main/app.tar.gz', 'branch', 'media/branch/main'],
  ['https://code.example.com/o/r/archive/main.tar.gz', 'source-archive', 'archive/main.tar.gz'],
  ['https://codeberg.org/o/r/archive/v1.0.0.tar.gz', 'source-archive', 'archive/v1.0.0.tar.gz'],
  ['https://gitea.com/api/v1/repos/o/r/archive/v1.0.0.tar.gz', 'source-archive', 'archive/v1.0.0.tar.gz'],
  ['https://gitea.com/api/v1/repos/o/r/raw/app.tar.gz?ref=main', 'branch', 'ref=main'],
  ['https://gitea.com/api/v1/repos/o/r/raw/app.tar.gz', 'branch', 'raw'],
  ['https://gitea.com/o/r/releases/latest/download/app.tar.gz', 'latest', 'releases/latest/download'],
  ['https://gitea.com/o/r/releases/download/nightly/app.tar.gz', 'latest', 'nightly'],
  ['https://gitea.com/o/r/raw/tag/latest/app.tar.gz', 'latest', 'tag/latest'],
  ['https://codeberg.org/api/packages/o/generic/app/latest/app.tar.gz', 'latest', 'latest'],
  ['https://o.codeberg.page/r/@main/app.tar.gz', 'branch', '@main'],
  ['https://raw.codeberg.page/o/r/@pages/app.tar.gz', 'branch', '@pages'],
  // GitHub.
  ['https://github.com/o/r/archive/main.zip', 'source-archive', 'archive/main.zip'],
  ['https://github.com/o/r/archive/refs/tags/v1.0.0.tar.gz', 'source-archive', 'archive/refs/tags/v1.0.0.tar.gz'],
  [`https://github.com/o/r/archive/${COMMIT}.tar.gz`, 'source-archive', 'archive/0123'],
  ['https://github.com/o/r/raw/refs/heads/main/app.tar.gz', 'branch', 'refs/heads/main'],
  ['https://github.com/o/r/blob/main/app.tar.gz?raw=true', 'branch', 'main'],
  ['https://github.com/acme/edge/releases/download/canary/app.tar.gz', 'latest', 'canary'],
  ['https://github.com/o/r/releases/download/clock/latest/app.tar.gz', 'latest', 'clock/latest'],
  ['https://github.com/o/r/releases/download/app-nightly/app.tar.gz', 'latest', 'app-nightly'],
  ['https://github.com/o/r/releases/download/continuous/app.tar.gz', 'latest', 'continuous'],
  ['https://raw.githubusercontent.com/o/r/gh-pages/latest/app.tar.gz', 'branch', 'gh-pages'],
  ['https://raw.githubusercontent.com/o/r/1.x/app.tar.gz', 'branch', '1.x'],
  ['https://raw.githubusercontent.com/o/r/refs/heads/v1.0.0/app.tar.gz', 'branch', 'refs/heads/v1.0.0'],
  ['https://media.githubusercontent.com/media/o/r/main/app.tar.gz', 'branch', 'main'],
  ['https://gist.githubusercontent.com/o/0123456789abcdef/raw/app.tar.gz', 'branch', 'raw'],
  ['https://api.github.com/repos/o/r/contents/app.tar.gz?ref=main', 'branch', 'ref=main'],
  ['https://api.github.com/repos/o/r/contents/app.tar.gz', 'branch', 'contents'],
  ['https://api.github.com/repos/o/r/tarball', 'source-archive', 'tarball'],
  ['https://nightly.link/o/r/workflows/build/main/app.zip', 'branch', 'workflows/build/main'],
  ['https://raw.githack.com/o/r/main/app.tar.gz', 'branch', 'main'],
  // GitLab.
  ['https://gitlab.com/g/sub/r/-/raw/main/app.tar.gz', 'branch', 'main'],
  ['https://gitlab.example.com/g/r/-/raw/feature-x/app.tar.gz?inline=false', 'branch', 'feature-x'],
  ['https://gitlab.com/g/r/-/archive/main/r-main.tar.gz', 'source-archive', 'archive/main/r-main.tar.gz'],
  ['https://gitlab.com/g/r/-/releases/permalink/latest/downloads/app.tar.gz', 'latest', 'releases/permalink/latest'],
  ['https://gitlab.com/api/v4/projects/1/repository/files/app.tar.gz/raw?ref=main', 'branch', 'ref=main'],
  ['https://gitlab.com/api/v4/projects/1/repository/files/a%2Fapp.tar.gz/raw', 'branch', 'repository/files'],
  ['https://gitlab.com/api/v4/projects/1/jobs/artifacts/main/raw/a.tar.gz?job=b', 'branch', 'jobs/artifacts/main'],
  ['https://gitlab.com/api/v4/projects/1/packages/generic/app/latest/app.tar.gz', 'latest', 'latest'],
  // Other code hosts.
  ['https://bitbucket.org/o/r/raw/master/app.tar.gz', 'branch', 'master'],
  ['https://bitbucket.org/o/r/get/master.tar.gz', 'source-archive', 'get/master.tar.gz'],
  ['https://api.bitbucket.org/2.0/repositories/o/r/src/main/app.tar.gz', 'branch', 'main'],
  ['https://stash.example.com/projects/P/repos/r/raw/app.tar.gz?at=refs%2Fheads%2Fx', 'branch', 'at=refs/heads/x'],
  ['https://stash.example.com/rest/api/1.0/projects/P/repos/r/archive?at=v1', 'source-archive', 'archive'],
  ['https://git.sr.ht/~o/r/archive/v1.0.0.tar.gz', 'source-archive', 'archive/v1.0.0.tar.gz'],
  ['https://git.sr.ht/~o/r/blob/master/app.tar.gz', 'branch', 'master'],
  ['https://sourceforge.net/projects/app/files/latest/download', 'latest', 'files/latest/download'],
  ['https://gitee.com/o/r/repository/archive/master', 'source-archive', 'repository/archive/master'],
  ['https://git.example.com/r.git/snapshot/r-1.0.0.tar.gz', 'source-archive', 'snapshot/r-1.0.0.tar.gz'],
  ['https://x.googlesource.com/r/+archive/main.tar.gz', 'source-archive', '+archive/main.tar.gz'],
  ['https://huggingface.co/o/r/resolve/main/app.tar.gz', 'branch', 'main'],
  // Package CDNs.
  [`${npm}/app/app.tar.gz`, 'unversioned', 'app'],
  [`${npm}/@scope/app/dist/app.tar.gz`, 'unversioned', '@scope/app'],
  [`${npm}/app@1.2/app.tar.gz`, 'range', 'app@1.2'],
  [`${npm}/app@^1.2.0/app.tar.gz`, 'range', 'app@^1.2.0'],
  [`${npm}/app@%5E1.2.0/app.tar.gz`, 'range', 'app@^1.2.0'],
  [`${npm}/app@1.x/app.tar.gz`, 'range', 'app@1.x'],
  [`${npm}/app@beta/app.tar.gz`, 'latest', 'app@beta'],
  [`${npm}/@scope/app@latest/app.tar.gz`, 'latest', '@scope/app@latest'],
  ['https://cdn.jsdelivr.net/gh/o/r@1/app.tar.gz', 'range', 'o/r@1'],
  ['https://cdn.jsdelivr.net/gh/o/r@feature/app.tar.gz', 'branch', 'o/r@feature'],
  ['https://cdn.jsdelivr.net/gh/o/r/app.tar.gz', 'unversioned', 'o/r'],
  ['https://unpkg.com/app/app.tar.gz', 'unversioned', 'app'],
  ['https://unpkg.com/@scope/app@1/app.tar.gz', 'range', '@scope/app@1'],
  ['https://unpkg.com/app@next/app.tar.gz', 'latest', 'app@next'],
  ['https://esm.sh/app/app.tar.gz', 'unversioned', 'app'],
  ['https://esm.sh/v135/app@1/app.tar.gz', 'range', 'app@1'],
  ['https://esm.sh/gh/o/r@main/app.tar.gz', 'branch', 'o/r@main'],
  ['https://cdn.skypack.dev/app@^1/app.tar.gz', 'range', 'app@^1'],
  ['https://cdn.skypack.dev/app/app.tar.gz', 'unversioned', 'app'],
  ['https://ga.jspm.io/npm:app@1/app.tar.gz', 'range', 'app@1'],
  ['https://deno.land/x/app/app.tar.gz', 'unversioned', 'app'],
  // Registries of packages and images.
  ['https://registry.npmjs.org/app/latest', 'latest', 'latest'],
  ['https://art.example.com/repo/app/[RELEASE]/app-[RELEASE].tar.gz', 'latest', '[RELEASE]'],
  ['https://art.example.com/repo/app/%5BINTEGRATION%5D/app.tar.gz', 'latest', '[INTEGRATION]'],
  ['https://nexus.example.com/repository/raw/app/latest/app.tar.gz', 'latest', 'latest'],
  ['https://nexus.example.com/r/app/1.0.0-SNAPSHOT/app-1.0.0-SNAPSHOT.tar.gz', 'latest', '1.0.0-SNAPSHOT'],
  ['https://nexus.example.com/r/app-1.0-SNAPSHOT-bundle.tar.gz', 'latest', 'app-1.0-SNAPSHOT-bundle.tar.gz'],
  ['https://nexus.example.com/redirect?r=x&a=app&v=LATEST', 'latest', 'v=LATEST'],
  ['https://nexus.example.com/redirect?r=x&a=app&v=RELEASE', 'latest', 'v=RELEASE'],
  ['https://registry.example.com/v2/app/manifests/latest', 'latest', 'latest'],
  ['https://registry.example.com/app:latest', 'latest', 'app:latest'],
  // One’s own host.
  ['https://apps.example.com/apps/latest/latest/app.tar.gz', 'latest', 'latest'],
  ['https://apps.example.com/1.0.0/latest/app.tar.gz', 'latest', 'latest'],
  ['https://apps.example.com/echo/stable/app.tar.gz', 'latest', 'stable'],
  ['https://apps.example.com/echo/%6Catest/app.tar.gz', 'latest', 'latest'],
  ['https://apps.example.com/echo/app-latest-linux-x64.tar.gz', 'latest', 'app-latest-linux-x64.tar.gz'],
  ['https://apps.example.com/latest/app-ubuntu-22.04.tar.gz', 'latest', 'latest'],
  ['https://bucket.s3.amazonaws.com/latest/app.tar.gz', 'latest', 'latest'],
  ['https://apps.example.com/app.tar.gz?ref=main', 'branch', 'ref=main'],
  ['https://apps.example.com/app.tar.gz?branch=x', 'branch', 'branch=x'],
  ['https://apps.example.com/app.tar.gz?version=latest', 'latest', 'version=latest'],
  ['https://apps.example.com/app.tar.gz?version=^1', 'range', 'version=^1'],
  ['https://apps.example.com/latest.tar.gz?v=2', 'latest', 'latest.tar.gz'],
];

function problemOf(url: string): ReturnType<typeof urlUnstable.check> {
  return urlUnstable.check(urlFacts('artifact', url));
}

describe('url-unstable by host', () => {
  test.each(CLEAN)('reports nothing: %s', (url) => expect(problemOf(url)).toBeNull());

  test.each(FAULTY)('reports a finding: %s', (url, cause, part) => {
    expect(problemOf(url)).toMatchObject({ cause });
    expect(problemOf(url)).toMatchObject({ message: expect.stringContaining(`change: “${part}`) as string });
  });

  test('long and hostile paths are judged in a short time', () => {
    expectWithin(1500, () => {
      for (const part of ['a/', '-', '@', '1.', '/releases/download/', 'raw/', '0'])
        problemOf(`https://git.example.com/${part.repeat(20_000)}/app.tar.gz`);
    });
  });
});
