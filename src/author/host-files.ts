import { gcsCors, r2Cors, s3Cors, s3Policy } from './host-buckets.ts';
import {
  bucketOf,
  cloudflarePagesGuide,
  gcsGuide,
  githubPagesGuide,
  netlifyGuide,
  nginxGuide,
  r2Guide,
  s3Guide,
} from './host-guides.ts';
import { nginxServer } from './host-nginx.ts';
import type { Hosted } from './hosted.ts';
import { headersFile, NOT_FOUND_PAGE } from './host-pages.ts';

/** The configuration for a host to serve a registry: CORS (spec 4.1), cache lifetimes (spec 8), media types. */

interface HostFile {
  path: string;
  text: string;
  what: string;
  /** True for a file that the host reads from the published folder. */
  served: boolean;
}

export interface Preset {
  /** The default store for this host, as in the configuration. */
  store: { type: 'directory' | 'git' | 's3' } & Record<string, string>;
  files(hosted: Hosted): HostFile[];
}

const GUIDE = { path: 'host/README.md', what: 'instructions for the host', served: false };
const CORS = { path: 'host/cors.json', what: 'the CORS configuration of the bucket', served: false };
const HEADERS = { path: '_headers', what: 'the headers that the host sends', served: true };

export const PRESETS = {
  r2: {
    store: { type: 's3', region: 'auto' },
    files: (hosted) => [
      { ...CORS, text: r2Cors(hosted) },
      { ...GUIDE, text: r2Guide(hosted) },
    ],
  },
  s3: {
    store: { type: 's3' },
    files: (hosted) => [
      { ...CORS, text: s3Cors(hosted) },
      {
        path: 'host/policy.json',
        text: s3Policy(bucketOf(hosted)),
        what: 'the bucket policy, which makes the files public',
        served: false,
      },
      { ...GUIDE, text: s3Guide(hosted) },
    ],
  },
  gcs: {
    store: { type: 's3', region: 'auto', endpoint: 'https://storage.googleapis.com' },
    files: (hosted) => [
      { ...CORS, text: gcsCors(hosted) },
      { ...GUIDE, text: gcsGuide(hosted) },
    ],
  },
  'github-pages': {
    store: { type: 'git', branch: 'gh-pages' },
    files: (hosted) => [
      { path: '.nojekyll', text: '', what: 'an empty file that disables Jekyll', served: true },
      { ...GUIDE, text: githubPagesGuide(hosted) },
    ],
  },
  'cloudflare-pages': {
    store: { type: 'git', branch: 'registry' },
    files: (hosted) => [
      { ...HEADERS, text: headersFile(hosted) },
      { path: '404.html', text: NOT_FOUND_PAGE, what: 'the response for missing files', served: true },
      { ...GUIDE, text: cloudflarePagesGuide(hosted) },
    ],
  },
  netlify: {
    store: { type: 'git', branch: 'registry' },
    files: (hosted) => [
      { ...HEADERS, text: headersFile(hosted) },
      { ...GUIDE, text: netlifyGuide(hosted) },
    ],
  },
  nginx: {
    store: { type: 'directory' },
    files: (hosted) => [
      { path: 'host/nginx.conf', text: nginxServer(hosted), what: 'a server block for nginx', served: false },
      { ...GUIDE, text: nginxGuide(hosted) },
    ],
  },
} satisfies Record<string, Preset>;

export type HostName = keyof typeof PRESETS;
