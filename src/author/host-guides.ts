import { cacheControlOf } from '../core/registry/media.ts';
import { shellWord } from '../core/text/text.ts';

/** Hosting parameters of a registry. */
export interface Hosted {
  /** With a trailing slash. */
  baseUrl: string;
  manifest: string;
  /** Empty: any origin is allowed. */
  serviceOrigins: readonly string[];
  store: { type: string } & Record<string, string>;
}

/** host/README.md: the remaining manual steps, with the commands to paste. */

/** A registry may also be stored in a folder and uploaded by other means. */
export function bucketOf({ store }: Hosted): string {
  return store['bucket'] ?? 'BUCKET';
}

/** The command that checks the result, for the end of every guide. */
function check({ baseUrl, manifest, serviceOrigins }: Hosted): string {
  const origins = serviceOrigins.map((origin) => ` --origin ${shellWord(origin)}`).join('');
  return `Then check what subscribers see:

\`\`\`sh
appreg verify ${shellWord(baseUrl + encodeURIComponent(manifest))}${origins}
\`\`\`
`;
}

function commands(...lines: string[]): string {
  return `\`\`\`sh\n${lines.join('\n')}\n\`\`\`\n`;
}

/** Explains the publication of the catalogue beside the registry. @param upload the commands that follow */
function catalogue({ baseUrl }: Hosted, folder: string, upload: readonly string[]): string {
  return `To publish a catalogue of the apps beside the registry ([site.md](https://github.com/appreg/appreg/blob/main/docs/vendors/site.md)), at ${baseUrl}site/index.html:

${commands(`appreg site ${folder} --base-url ${shellWord(`${baseUrl}site/`)}`, ...upload)}`;
}

/** The same for a branch that the host reads, and for a folder that is uploaded by other means. */
function catalogueOnBranch(hosted: Hosted): string {
  const { type, branch } = hosted.store;
  if (type !== 'git' || branch === undefined) return catalogue(hosted, 'site', []);
  return `${catalogue(hosted, 'pages/site', [
    'git -C pages add site',
    "git -C pages commit --message 'Update the catalogue'",
    'git -C pages push',
  ])}
Before, check out the branch into the folder \`pages\`, which is not part of your own branch:

${commands(`git worktree add pages ${shellWord(branch)}`, 'echo pages >> .git/info/exclude')}`;
}

/** The path of the catalogue in a bucket. */
function inBucket(hosted: Hosted): string {
  const { prefix = '' } = hosted.store;
  return [bucketOf(hosted), ...prefix.split('/'), 'site'].filter((part) => part !== '').join('/');
}

/** Pages change, as the documents of the registry do. */
const PAGE_LIFETIME = `--cache-control ${shellWord(cacheControlOf('index.html'))}`;

/** appreg sends these headers with every file that it uploads to a bucket. */
const STORED =
  'appreg stores `Content-Type` and `Cache-Control` with each file. Files that are uploaded by other means need them too.\n';

export function s3Guide(hosted: Hosted): string {
  const bucket = `--bucket ${shellWord(bucketOf(hosted))}`;
  return `# Amazon S3

A new bucket is private and has no CORS configuration. Run this once:

${commands(
  `aws s3api put-public-access-block ${bucket} --public-access-block-configuration BlockPublicAcls=true,IgnorePublicAcls=true,BlockPublicPolicy=false,RestrictPublicBuckets=false`,
  `aws s3api put-bucket-policy ${bucket} --policy file://host/policy.json`,
  `aws s3api put-bucket-cors ${bucket} --cors-configuration file://host/cors.json`,
)}
Behind CloudFront, forward \`Origin\`, \`Access-Control-Request-Method\` and \`Access-Control-Request-Headers\` (the managed origin request policy CORS-S3Origin), allow GET, HEAD and OPTIONS, and leave automatic compression off for \`.tar.gz\`.

${STORED}
${catalogue(hosted, 'site', [`aws s3 sync site ${shellWord(`s3://${inBucket(hosted)}`)} --delete ${PAGE_LIFETIME}`])}
${check(hosted)}`;
}

export function r2Guide(hosted: Hosted): string {
  const bucket = shellWord(bucketOf(hosted));
  return `# Cloudflare R2

Connect the bucket to the host of ${hosted.baseUrl} (R2 › the bucket › Settings › Custom Domains): the address at r2.dev is limited and not meant for production. Then set the CORS configuration of the bucket, which takes effect after half a minute:

${commands(`npx wrangler r2 bucket cors set ${bucket} --file host/cors.json`, `npx wrangler r2 bucket cors list ${bucket}`)}
A custom domain caches \`.tar.gz\`, \`.svg\` and \`.png\` at the edge, but not JSON. Do not fetch the URL of an artifact before it is published: "not found" is cached for minutes.

${STORED}
${catalogue(hosted, 'site', [
  `aws s3 sync site ${shellWord(`s3://${inBucket(hosted)}`)} --delete ${PAGE_LIFETIME} --endpoint-url ${shellWord(hosted.store['endpoint'] ?? 'https://ID.r2.cloudflarestorage.com')}`,
])}
${check(hosted)}`;
}

export function gcsGuide(hosted: Hosted): string {
  const bucket = shellWord(`gs://${bucketOf(hosted)}`);
  return `# Google Cloud Storage

${commands(
  `gcloud storage buckets update ${bucket} --cors-file=host/cors.json`,
  `gcloud storage buckets add-iam-policy-binding ${bucket} --member=allUsers --role=roles/storage.objectViewer`,
)}
appreg writes with an HMAC key (Settings › Interoperability) in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Serve from storage.googleapis.com or a load balancer: storage.cloud.google.com never sends CORS headers.

Never upload with \`gcloud storage cp --gzip-local\` or \`-Z\`: an artifact that is stored with \`Content-Encoding: gzip\` is decompressed before it is sent, and no longer matches its checksum.

${STORED}
${catalogue(hosted, 'site', [
  `gcloud storage rsync site ${shellWord(`gs://${inBucket(hosted)}`)} --recursive --delete-unmatched-destination-objects ${PAGE_LIFETIME}`,
])}
${check(hosted)}`;
}

export function githubPagesGuide(hosted: Hosted): string {
  const { branch = 'gh-pages' } = hosted.store;
  return `# GitHub Pages

Settings › Pages: deploy from the branch \`${branch}\`, folder \`/\`. The empty \`.nojekyll\` in it prevents Jekyll from omitting files.

GitHub Pages sends \`Access-Control-Allow-Origin: *\` and caches everything for ten minutes; neither can be changed. A site has at most 1 GB.

A push by a workflow's own token does not build the site: the workflow that \`appreg init --ci github\` writes requests the build.

${catalogueOnBranch(hosted)}
${check(hosted)}`;
}

export function netlifyGuide(hosted: Hosted): string {
  const { branch } = hosted.store;
  const several = hosted.serviceOrigins.length > 1;
  return `# Netlify

New project from git: ${branch === undefined ? '' : `the branch \`${branch}\`, `}no build command, publish directory \`.\`. Netlify reads \`_headers\` from it.
${several ? '\nA fixed header can contain only one origin. With several service origins, it is the wildcard `*`.\n' : ''}
${catalogueOnBranch(hosted)}
${check(hosted)}`;
}

export function cloudflarePagesGuide(hosted: Hosted): string {
  const { branch } = hosted.store;
  const several = hosted.serviceOrigins.length > 1;
  return `# Cloudflare Pages

Create the project from git: ${branch === undefined ? '' : `production branch \`${branch}\`, `}no build command, output directory \`/\`. It reads \`_headers\` from there. With \`404.html\`, the response for a missing file has status 404; without it, every unknown path is a web page with status 200.

${several ? 'A fixed header can contain only one origin. With several service origins, it is the wildcard `*`. ' : ''}A file has at most 25 MiB.

${catalogueOnBranch(hosted)}
${check(hosted)}`;
}

export function nginxGuide(hosted: Hosted): string {
  return `# nginx

\`host/nginx.conf\` is a server block: put the registry's files into /srv/registry (or change that line), then

${commands('sudo cp host/nginx.conf /etc/nginx/conf.d/registry.conf', 'sudo nginx -t && sudo systemctl reload nginx')}
When you upload a version by hand, upload the artifact first, then the metadata file: subscribers then never see a version whose artifact is missing.

${catalogue(hosted, 'site', ['rsync --archive --delete site/ SERVER:/srv/registry/site/'])}
${check(hosted)}`;
}
