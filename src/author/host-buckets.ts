import type { Hosted } from './hosted.ts';

/** CORS configuration of buckets, in the format of each provider's tool. The methods are those of the spec (4.1). */

const METHODS = ['GET', 'HEAD'];
const SECONDS = 3600;

function originsOf({ serviceOrigins }: Hosted): readonly string[] {
  return serviceOrigins.length === 0 ? ['*'] : serviceOrigins;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** For `aws s3api put-bucket-cors`. */
export function s3Cors(hosted: Hosted): string {
  const rule = { AllowedOrigins: originsOf(hosted), AllowedMethods: METHODS, AllowedHeaders: ['*'] };
  return json({ CORSRules: [{ ...rule, ExposeHeaders: ['ETag'], MaxAgeSeconds: SECONDS }] });
}

/** For `wrangler r2 bucket cors set`. */
export function r2Cors(hosted: Hosted): string {
  const allowed = { origins: originsOf(hosted), methods: METHODS, headers: ['*'] };
  return json({ rules: [{ allowed, exposeHeaders: ['ETag'], maxAgeSeconds: SECONDS }] });
}

/** For `gcloud storage buckets update --cors-file`. */
export function gcsCors(hosted: Hosted): string {
  return json([{ origin: originsOf(hosted), method: METHODS, responseHeader: ['*'], maxAgeSeconds: SECONDS }]);
}

/** Public read access without listing. For `aws s3api put-bucket-policy`. */
export function s3Policy(bucket: string): string {
  const Resource = `arn:aws:s3:::${bucket}/*`;
  return json({
    Version: '2012-10-17',
    Statement: [{ Sid: 'ReadRegistry', Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource }],
  });
}
