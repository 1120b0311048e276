import { shellWord } from '../core/text/shell-word.ts';
import type { Hosted } from './hosted.ts';

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
${check(hosted)}`;
}

export function r2Guide(hosted: Hosted): string {
  const bucket = shellWord(bucketOf(hosted));
  return `# Cloudflare R2

Connect the bucket to the host of ${hosted.baseUrl} (R2 › the bucket › Settings › Custom Domains): the address at r2.dev is limited and not meant for production. Then set the CORS configuration of the bucket, which takes effect after half a minute:

${commands(`npx wrangler r2 bucket cors set ${bucket} --file host/cors.json`, `npx wrangler r2 bucket cors list ${bucket}`)}
A custom domain caches \`.tar.gz\`, \`.svg\` and \`.png\` at the edge, but not JSON. Do not fetch the URL of an artifact before it is published: "not found" is cached for minutes.

${STORED}
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
${check(hosted)}`;
}

export function githubPagesGuide(hosted: Hosted): string {
  const { branch = 'gh-pages' } = hosted.store;
  return `# GitHub Pages

Settings › Pages: deploy from the branch \`${branch}\`, folder \`/\`. The empty \`.nojekyll\` in it prevents Jekyll from omitting files.

GitHub Pages sends \`Access-Control-Allow-Origin: *\` and caches everything for ten minutes; neither can be changed. A site has at most 1 GB.

A push by a workflow's own token does not build the site: the workflow that \`appreg init --ci github\` writes requests the build.

${check(hosted)}`;
}

export function netlifyGuide(hosted: Hosted): string {
  const { branch } = hosted.store;
  const several = hosted.serviceOrigins.length > 1;
  return `# Netlify

New project from git: ${branch === undefined ? '' : `the branch \`${branch}\`, `}no build command, publish directory \`.\`. Netlify reads \`_headers\` from it.
${several ? '\nA fixed header can contain only one origin. With several service origins, it is the wildcard `*`.\n' : ''}
${check(hosted)}`;
}

export function cloudflarePagesGuide(hosted: Hosted): string {
  const { branch } = hosted.store;
  const several = hosted.serviceOrigins.length > 1;
  return `# Cloudflare Pages

Create the project from git: ${branch === undefined ? '' : `production branch \`${branch}\`, `}no build command, output directory \`/\`. It reads \`_headers\` from there. With \`404.html\`, the response for a missing file has status 404; without it, every unknown path is a web page with status 200.

${several ? 'A fixed header can contain only one origin. With several service origins, it is the wildcard `*`. ' : ''}A file has at most 25 MiB.

${check(hosted)}`;
}

export function nginxGuide(hosted: Hosted): string {
  return `# nginx

\`host/nginx.conf\` is a server block: put the registry's files into /srv/registry (or change that line), then

${commands('sudo cp host/nginx.conf /etc/nginx/conf.d/registry.conf', 'sudo nginx -t && sudo systemctl reload nginx')}
When you upload a version by hand, upload the artifact first, then the metadata file: subscribers then never see a version whose artifact is missing.

${check(hosted)}`;
}
