import { message, type SafeText } from '../../../text/message.ts';
import type { UrlParts } from '../../../url/url.ts';

/** URLs of the pages on which hosts of code, files and packages show a file, and not of the file itself. */

/** The subject of a page. */
export type PageCause = 'file' | 'folder' | 'release' | 'build' | 'share' | 'console' | 'package';

/** A page, by the form of its URL. */
export interface Page {
  cause: PageCause;
  /** The host’s product, as messages name it. */
  of: string;
  /** An expression for the host name; absent for products on any host. */
  host?: RegExp;
  path: RegExp;
  /** Parameters with which the host sends the file itself. */
  unless?: Readonly<Record<string, RegExp>>;
  /** The URL of the file; null if it cannot be derived. */
  file?(url: UrlParts): SafeText;
}

/** Replaces a part of the path: the URL of the file, for advice. */
function withPath(from: RegExp, to: string): (url: UrlParts) => SafeText {
  return ({ origin, pathname }) => message`${origin}${pathname.replace(from, to)}`;
}

function rawOfGitHub({ origin, pathname }: UrlParts): SafeText {
  const path = pathname.replace('/blob/', '/');
  return origin.endsWith('github.com')
    ? message`https://raw.githubusercontent.com${path}`
    : message`${origin}${pathname.replace('/blob/', '/raw/')}`;
}

/** The URL of an asset, whose name the page does not have. */
const ASSET = withPath(/\/tag\/(.+?)\/?$/, '/download/$1/<file>');

/** GitHub, and a GitHub Enterprise Server by its usual name. */
const GITHUB = /^(?:(?:www\.)?github\.com|github\.(?!io$)[a-z0-9.-]+)$/;
const GITLAB = /(?:^|\.)gitlab\./;
const GITEA = /^(?:codeberg\.org|gitea\.com|notabug\.org)$/;
const BITBUCKET = /^bitbucket\.org$/;
const AZURE = /^dev\.azure\.com$|\.visualstudio\.com$/;
const HUGGING_FACE = /^(?:huggingface\.co|hf\.co)$/;
const RAW: Page['unless'] = { raw: /^(?:true|1)?$/ };
const REPOSITORY = '^/[^/]+/[^/]+';

/** The first that matches decides. */
export const PAGES: readonly Page[] = [
  { cause: 'file', of: 'GitHub', host: GITHUB, path: /^\/[^/]+\/[^/]+\/blob\/./, unless: RAW, file: rawOfGitHub },
  { cause: 'file', of: 'GitHub', host: GITHUB, path: /^\/[^/]+\/[^/]+\/(?:blame|edit)\/./ },
  {
    cause: 'file',
    of: 'GitHub Gist',
    host: /^gist\.github\.com$/,
    path: /^\/[^/]+\/[0-9a-f]{20,}\/?$/,
    file: withPath(/\/?$/, '/raw/<file>'),
  },
  { cause: 'release', of: 'GitHub', host: GITHUB, path: /^\/[^/]+\/[^/]+\/releases\/tag\/./, file: ASSET },
  { cause: 'release', of: 'GitHub', host: GITHUB, path: /^\/[^/]+\/[^/]+\/(?:releases(?:\/latest)?|tags)\/?$/ },
  { cause: 'build', of: 'GitHub', host: GITHUB, path: /^\/[^/]+\/[^/]+\/(?:actions|suites)(?:\/|$)/ },
  { cause: 'package', of: 'GitHub', host: GITHUB, path: /\/(?:pkgs|packages)(?:\/|$)/ },
  {
    cause: 'folder',
    of: 'GitHub',
    host: GITHUB,
    path: new RegExp(`${REPOSITORY}(?:/?$|/(?:tree|commits?|pull|issues|wiki|branches|compare)(?:/|$))`),
  },
  // GitLab, on any host.
  { cause: 'file', of: 'GitLab', path: /\/-\/(?:blob|blame|edit)\/./, file: withPath(/\/-\/\w+\//, '/-/raw/') },
  {
    cause: 'file',
    of: 'GitLab',
    host: GITLAB,
    path: new RegExp(`${REPOSITORY}(?:/[^/]+)*?/blob/.`),
    file: withPath(/\/blob\//, '/-/raw/'),
  },
  { cause: 'release', of: 'GitLab', path: /\/-\/(?:releases|tags)(?:\/[^/]+)?\/?$/ },
  {
    cause: 'build',
    of: 'GitLab',
    path: /\/-\/jobs\/\d+\/artifacts\/file\/./,
    file: withPath(/\/artifacts\/file\//, '/artifacts/raw/'),
  },
  {
    cause: 'build',
    of: 'GitLab',
    path: /\/-\/(?:jobs\/\d+(?:\/?$|\/artifacts\/browse)|pipelines(?:\/|$)|artifacts\/?$)/,
  },
  { cause: 'package', of: 'GitLab', path: /\/-\/packages(?:\/\d+)?\/?$/ },
  { cause: 'folder', of: 'GitLab', path: /\/-\/(?:tree|commits?|merge_requests|issues)(?:\/|$)/ },
  { cause: 'folder', of: 'GitLab', host: /^gitlab\.com$/, path: new RegExp(`${REPOSITORY}/?$`) },
  // Bitbucket, and Bitbucket Data Center on any host.
  {
    cause: 'file',
    of: 'Bitbucket',
    host: BITBUCKET,
    path: new RegExp(`${REPOSITORY}/src/[^/]+/.`),
    file: withPath(/\/src\//, '/raw/'),
  },
  { cause: 'release', of: 'Bitbucket', host: BITBUCKET, path: new RegExp(`${REPOSITORY}/downloads/?$`) },
  { cause: 'build', of: 'Bitbucket', host: BITBUCKET, path: new RegExp(`${REPOSITORY}/(?:addon/)?pipelines(?:/|$)`) },
  {
    cause: 'folder',
    of: 'Bitbucket',
    host: BITBUCKET,
    path: new RegExp(`${REPOSITORY}(?:/?$|/(?:src|commits?|branch|branches|pull-requests)(?:/|$))`),
  },
  {
    cause: 'file',
    of: 'Bitbucket',
    path: /\/(?:projects|users)\/[^/]+\/repos\/[^/]+\/browse\/./,
    unless: RAW,
    file: withPath(/\/browse\//, '/raw/'),
  },
  // Gitea and Forgejo, on any host.
  {
    cause: 'file',
    of: 'Gitea or Forgejo',
    path: new RegExp(`${REPOSITORY}/src/(?:branch|tag|commit)/[^/]+/.`),
    file: withPath(/\/src\/(branch|tag|commit)\//, '/raw/$1/'),
  },
  { cause: 'release', of: 'Gitea or Forgejo', path: new RegExp(`${REPOSITORY}/releases/tag/.`), file: ASSET },
  { cause: 'release', of: 'Gitea or Forgejo', host: GITEA, path: new RegExp(`${REPOSITORY}/(?:releases|tags)/?$`) },
  { cause: 'build', of: 'Gitea or Forgejo', path: new RegExp(`${REPOSITORY}/actions/runs/\\d+`) },
  {
    cause: 'folder',
    of: 'Gitea or Forgejo',
    host: GITEA,
    path: new RegExp(`${REPOSITORY}(?:/?$|/(?:src|commits?|issues|pulls|wiki)(?:/|$))`),
  },
  {
    cause: 'folder',
    of: 'SourceHut',
    host: /^git\.sr\.ht$/,
    path: new RegExp(`${REPOSITORY}/(?:tree|log|commit)(?:/|$)`),
  },
  { cause: 'file', of: 'Azure DevOps', host: AZURE, path: /\/_git\// },
  { cause: 'build', of: 'Azure DevOps', host: AZURE, path: /\/_(?:build|release|artifacts)(?:\/|$)/ },
  {
    cause: 'file',
    of: 'Hugging Face',
    host: HUGGING_FACE,
    path: /\/blob\/[^/]+\/./,
    file: withPath(/\/blob\//, '/resolve/'),
  },
  { cause: 'folder', of: 'Hugging Face', host: HUGGING_FACE, path: /\/tree\// },
  {
    cause: 'build',
    of: 'Jenkins',
    path: /\/job\/[^/]+\/(?:\d+|last\w*Build)\/artifact\/.*\/\*(?:view|fingerprint)\*/,
    file: withPath(/\/\*\w+\*.*$/, ''),
  },
  { cause: 'build', of: 'Jenkins', path: /\/job\/[^/]+\/(?:\d+|last\w*Build)(?:\/console\w*|\/artifact)?\/?$/ },
  // Stores of packages.
  { cause: 'package', of: 'npm', host: /^(?:www\.)?npmjs\.com$/, path: /^\/package\/./ },
  { cause: 'package', of: 'jsDelivr', host: /^www\.jsdelivr\.com$/, path: /^\/./ },
  { cause: 'package', of: 'UNPKG', host: /^(?:www\.)?unpkg\.com$/, path: /^\/browse\// },
  {
    cause: 'package',
    of: 'Artifactory',
    path: /^\/(?:ui\/(?:native|repos\/tree\/\w+)|artifactory\/webapp)\/./,
    file: withPath(/^\/ui\/native\//, '/artifactory/'),
  },
  { cause: 'package', of: 'Nexus', path: /^\/service\/rest\/repository\/browse\// },
  // Services that share files with people.
  {
    cause: 'share',
    of: 'Dropbox',
    host: /^(?:www\.)?dropbox\.com$/,
    path: /^\/(?:s|sh|scl|t)\/./,
    unless: { dl: /^1$/, raw: /^1$/ },
    file: withDownload('dl'),
  },
  {
    cause: 'share',
    of: 'Google Drive',
    host: /^drive\.google\.com$/,
    path: /^\/(?:file|open|drive|folderview)(?:\/|$)/,
  },
  {
    cause: 'share',
    of: 'Google Docs',
    host: /^docs\.google\.com$/,
    path: /./,
    unless: { export: /^download$/, format: /./ },
  },
  { cause: 'share', of: 'OneDrive', host: /^(?:1drv\.ms|onedrive\.live\.com)$/, path: /^(?!\/download)/ },
  {
    cause: 'share',
    of: 'SharePoint',
    host: /\.sharepoint\.com$/,
    path: /^\/:[a-z]:\//,
    unless: { download: /^1$/ },
    file: withDownload('download'),
  },
  { cause: 'share', of: 'Box', host: /(?:^|\.)box\.com$/, path: /^\/(?:s|file)\/./ },
  { cause: 'share', of: 'WeTransfer', host: /^(?:we\.tl|(?:\w+\.)?wetransfer\.com)$/, path: /./ },
  { cause: 'share', of: 'MediaFire', host: /^(?:www\.)?mediafire\.com$/, path: /^\/file\// },
  { cause: 'share', of: 'MEGA', host: /^mega\.(?:nz|co\.nz|io)$/, path: /./ },
  { cause: 'share', of: 'iCloud Drive', host: /^(?:www\.)?icloud\.com$/, path: /./ },
  // Consoles of clouds, and URLs that need the session of one.
  { cause: 'console', of: 'Google Cloud', host: /^(?:console|storage)\.cloud\.google\.com$/, path: /./ },
  { cause: 'console', of: 'AWS', host: /(?:^|\.)console\.aws\.amazon\.com$/, path: /./ },
  { cause: 'console', of: 'Azure', host: /^portal\.azure\.com$/, path: /./ },
  { cause: 'console', of: 'Cloudflare', host: /^dash\.cloudflare\.com$/, path: /./ },
  { cause: 'console', of: 'Netlify', host: /^app\.netlify\.com$/, path: /./ },
];

function withDownload(parameter: string): (url: UrlParts) => SafeText {
  return ({ href }) => {
    const url = new URL(href);
    url.searchParams.set(parameter, '1');
    return message`${url.href}`;
  };
}
