import { message, safe, type SafeText } from '../../text/message.ts';
import { resourceName } from '../../facts/resource-kind.ts';
import type { UrlParts } from '../../url/url.ts';
import { defineRule } from '../rule.ts';
import { type Page, type PageCause, PAGES } from './page/pages.ts';

export const urlOfPage = defineRule({
  id: 'url-of-page',
  title: 'URL of a web page instead of the file',
  on: 'url',
  needs: ['resource', 'url', 'parsed'],
  severity: 'error',
  spec: '7',
  symptom: 'by-resource',
  owner: 'author',
  hidesApp: true,
  hiddenReason: 'The URL of its metadata file is that of a web page.',
  causes: {
    file: { title: 'The page shows the file' },
    folder: { title: 'The page shows a folder or a repository' },
    release: { title: 'The page shows releases or tags' },
    build: { title: 'The page shows builds, or their files after sign-in' },
    share: { title: 'The page offers a shared file for download' },
    console: { title: 'The page needs the session of a console' },
    package: { title: 'The page describes a package' },
  },
  failsWhen:
    'a URL has the form of a page of a known product: `blob`, `tree`, `releases/tag` or `actions/runs` of GitHub, and the same of GitLab, Bitbucket, Gitea and Forgejo; a link of Dropbox without `dl=1`, of Google Drive or OneDrive; a console of a cloud',
  why: 'Subscribers get the HTML page, or a sign-in page, instead of the file.',
  examples: {
    bad: '"iconUrl": "https://github.com/me/echo/blob/main/echo.svg"',
    good: '"iconUrl": "https://raw.githubusercontent.com/me/echo/main/echo.svg"',
  },
  check({ resource, url, parsed }) {
    const page = pageAt(parsed);
    if (page === null) return null;
    const file = page.file?.(parsed) ?? null;
    return {
      cause: page.cause,
      message: message`The URL of the ${resourceName(resource)} is that of ${SHOWS[page.cause]} (${page.of}), not of the file itself.`,
      advice: file === null ? ADVICE[page.cause] : message`Use the URL of the file: ${safe(file)}`,
      evidence: { url, product: page.of },
    };
  },
});

/** The page that a URL leads to by its form; null for any other URL. */
function pageAt({ hostname, pathname, searchParams }: UrlParts): Page | null {
  const page = PAGES.find(({ host, path }) => (host === undefined || host.test(hostname)) && path.test(pathname));
  if (page === undefined) return null;
  const isFile = Object.entries(page.unless ?? {}).some(([name, value]) => value.test(searchParams.get(name) ?? '\n'));
  return isFile ? null : page;
}

const SHOWS: Record<PageCause, string> = {
  file: 'a page that shows the file',
  folder: 'a page about a repository or folder',
  release: 'a page about releases',
  build: 'a page about builds',
  share: 'a page that offers a shared file',
  console: 'a console that needs a sign-in',
  package: 'a page about a package',
};

const PUBLISH = 'Publish the file at a URL that sends its bytes to everyone: a release asset, a bucket or a web server';
const ADVICE: Record<PageCause, SafeText> = {
  file: message`Use the URL of the file itself: the one behind “Raw” or “Download” on that page.`,
  folder: message`Use the URL of the file itself: the one behind “Raw” or “Download” on the page of the file.`,
  release: message`Use the URL of the asset itself, which the page links to.`,
  build: message`${PUBLISH}. Files of a build need a sign-in, or are deleted after some time.`,
  share: message`${PUBLISH}. Links of such services are for people.`,
  console: message`${PUBLISH}. Use the public URL of the object.`,
  package: message`Use the URL of the archive itself, which the page links to.`,
};
