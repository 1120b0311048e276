import { storeContract } from './contract.ts';
import { openS3 } from '../../src/store/s3.ts';

storeContract('a bucket of a real S3 server', async () => {
  const options = {
    bucket: 'contract',
    prefix: `run-${Date.now()}/`,
    region: 'us-east-1',
    endpoint: 'http://127.0.0.1:27480',
    env: { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'testtest' },
  };
  return { store: openS3(options), rival: openS3(options) };
});
