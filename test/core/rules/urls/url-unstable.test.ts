import { urlUnstable } from '../../../../src/core/rules/urls/url-unstable.ts';
import { urlFacts } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const artifactUrl = (url: string) => urlFacts('artifact', url);
const raw = (rest: string) => artifactUrl(`https://raw.githubusercontent.com/o/r/${rest}`);

ruleTable(urlUnstable, {
  clean: [
    ['a file for each version', artifactUrl('https://apps.example.com/apps/a/versions/1.0.0.tar.gz')],
    ['a release asset', artifactUrl('https://github.com/o/r/releases/download/v1.0.0/app.tar.gz')],
    [
      'a release asset of a tag with a slash',
      artifactUrl('https://github.com/o/r/releases/download/apps%2Fa%2Fv1.0.0/app.tar.gz'),
    ],
    ['a commit', raw('0123456789abcdef0123456789abcdef01234567/app.tar.gz')],
    ['a tag', raw('v1.0.0/app.tar.gz')],
    ['a tag in full', raw('refs/tags/anything/app.tar.gz')],
    ['a tag with the app in front', raw('my-app-v1.2.3/app.tar.gz')],
    ['a tag with @', raw('my-app@1.2.3/app.tar.gz')],
    ['an app called latest', artifactUrl('https://x.test/apps/latest/versions/1.0.0.tar.gz')],
    ['an app called snapshot, a version above', artifactUrl('https://x.test/apps/snapshot/1.0.0/app.tar.gz')],
    ['an app called canary', artifactUrl('https://x.test/canary/canary-2.1.0.tar.gz')],
    ['latest as part of a word', artifactUrl('https://x.test/latest-news/1.0.0.tar.gz')],
    ['main as a folder of one’s own host', artifactUrl('https://x.test/main/1.0.0.tar.gz')],
    ['a pages host', artifactUrl('https://o.github.io/r/apps/a/1.0.0.tar.gz')],
    ['archive as a folder of one’s own host', artifactUrl('https://x.test/archive/1.0.0.tar.gz')],
    ['a package registry', artifactUrl('https://gitlab.com/api/v4/projects/1/packages/generic/app/1.0.0/app.tar.gz')],
    ['a fixed version on a CDN', artifactUrl('https://cdn.jsdelivr.net/gh/o/r@1.0.0/app.tar.gz')],
    ['an icon, whose bytes may change', urlFacts('icon', 'https://raw.githubusercontent.com/o/r/main/i.svg')],
    ['a metadata file, which has to change', urlFacts('metadata', 'https://x.test/latest/versions.json')],
  ],
  faulty: [
    ['a folder latest', artifactUrl('https://x.test/latest/app.tar.gz'), { cause: 'latest' }],
    ['a file latest', artifactUrl('https://x.test/a/latest.tar.gz'), { cause: 'latest' }],
    ['a file that ends in latest', artifactUrl('https://x.test/app-latest.tar.gz'), { cause: 'latest' }],
    ['LATEST', artifactUrl('https://x.test/LATEST/app.tar.gz'), { cause: 'latest' }],
    ['nightly', artifactUrl('https://x.test/nightly/app.tgz'), { cause: 'latest' }],
    [
      'the latest release',
      artifactUrl('https://github.com/o/r/releases/latest/download/app.tar.gz'),
      { cause: 'latest' },
    ],
    [
      'the latest release, though a version is in the name',
      artifactUrl('https://github.com/o/r/releases/latest/download/app-1.0.0.tar.gz'),
      { cause: 'latest' },
    ],
    [
      'a release tag that moves',
      artifactUrl('https://github.com/o/r/releases/download/nightly/app.tar.gz'),
      { cause: 'latest' },
    ],
    ['a dist-tag', artifactUrl('https://unpkg.com/app@latest/app.tar.gz'), { cause: 'latest' }],
    [
      'a source archive of a branch',
      artifactUrl('https://github.com/o/r/archive/refs/heads/main.tar.gz'),
      { cause: 'source-archive' },
    ],
    [
      'a source archive of a tag',
      artifactUrl('https://github.com/o/r/archive/refs/tags/v1.0.0.tar.gz'),
      { cause: 'source-archive' },
    ],
    ['a tarball', artifactUrl('https://github.com/o/r/tarball/v1.0.0'), { cause: 'source-archive' }],
    ['codeload', artifactUrl('https://codeload.github.com/o/r/tar.gz/refs/tags/v1.0.0'), { cause: 'source-archive' }],
    ['the API’s tarball', artifactUrl('https://api.github.com/repos/o/r/tarball/v1.0.0'), { cause: 'source-archive' }],
    [
      'GitLab’s archive',
      artifactUrl('https://gitlab.com/o/r/-/archive/v1.0.0/r-v1.0.0.tar.gz'),
      { cause: 'source-archive' },
    ],
    [
      'GitLab’s archive through the API',
      artifactUrl('https://gitlab.com/api/v4/projects/1/repository/archive.tar.gz?sha=v1'),
      { cause: 'source-archive' },
    ],
    ['Bitbucket’s archive', artifactUrl('https://bitbucket.org/o/r/get/v1.0.0.tar.gz'), { cause: 'source-archive' }],
    ['a branch', raw('main/app.tar.gz'), { cause: 'branch' }],
    ['any branch', raw('feature-x/dist/app.tar.gz'), { cause: 'branch' }],
    ['a branch in full', raw('refs/heads/main/app.tar.gz'), { cause: 'branch' }],
    ['a branch that is called like a version', raw('refs/heads/v1.2/app.tar.gz'), { cause: 'branch' }],
    ['a branch through the site', artifactUrl('https://github.com/o/r/raw/dev/app.tar.gz'), { cause: 'branch' }],
    ['GitLab’s raw branch', artifactUrl('https://gitlab.com/o/r/-/raw/main/app.tar.gz'), { cause: 'branch' }],
    ['Gitea’s raw branch', artifactUrl('https://git.x.test/o/r/src/branch/main/app.tar.gz'), { cause: 'branch' }],
    [
      'the last job of a branch',
      artifactUrl('https://gitlab.com/o/r/-/jobs/artifacts/v1/raw/app.tar.gz?job=build'),
      { cause: 'branch' },
    ],
    ['a CDN of a branch', artifactUrl('https://cdn.jsdelivr.net/gh/o/r@main/app.tar.gz'), { cause: 'branch' }],
    [
      'a range on a package CDN',
      artifactUrl('https://cdn.jsdelivr.net/npm/app@1/app.tar.gz'),
      { cause: 'range', message: '“app@1” is a range of versions' },
    ],
    [
      'a CDN of the latest release',
      artifactUrl('https://cdn.jsdelivr.net/gh/o/r/app.tar.gz'),
      { cause: 'unversioned', advice: 'for each version' },
    ],
  ],
});
